import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { WiggumError } from '../workflows/domain/errors.ts';

const run = promisify(execFile);

/** Asks git something about a repository; never for a change, never for a prompt. */
export async function askGit(folder: string, words: readonly string[]): Promise<string> {
  // A repository's settings name programs (fsmonitor, text converters); a question must start none.
  const safe = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
  try {
    const { stdout } = await run('git', [...safe, ...words], {
      cwd: folder,
      env: { ...process.env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' },
      maxBuffer: 64 * 1024 * 1024,
      timeout: 30_000,
    });
    return stdout;
  } catch (cause) {
    const { code, stderr, message } = cause as NodeJS.ErrnoException & { stderr?: string };
    if (code === 'ENOENT')
      throw new WiggumError('GIT_UNSUPPORTED', 'git is not installed.', { cause });
    throw new WiggumError('GIT_FAILED', `git ${words.join(' ')}: ${stderr?.trim() || message}`, {
      where: folder,
      cause,
    });
  }
}

const OLDEST_GIT = [2, 38] as const;

/** The oldest git that we work with, as people write it. */
export const OLDEST_GIT_VERSION = OLDEST_GIT.join('.');

/** Whether a git can do all that a run asks of it. */
export function isSupportedGit([major, minor]: readonly [number, number]): boolean {
  const [oldest, oldestMinor] = OLDEST_GIT;
  return major > oldest || (major === oldest && minor >= oldestMinor);
}

/** The version of git as numbers: `[2, 43]`. */
export async function gitVersion(folder: string): Promise<[number, number]> {
  const found = /(\d+)\.(\d+)/.exec(await askGit(folder, ['--version']));
  return [Number(found?.[1] ?? 0), Number(found?.[2] ?? 0)];
}

/** Tracked files with changes that no commit has yet; our own folder does not count. */
export async function uncommittedFiles(folder: string): Promise<string[]> {
  const text = await askGit(folder, [
    'status',
    '--porcelain',
    '--untracked-files=no',
    '--',
    ':(top)',
    ':(top,exclude).ralph',
  ]);
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => line.slice(3));
}

/** Whether there is a commit to start tasks from. */
export async function hasCommit(folder: string): Promise<boolean> {
  return askGit(folder, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']).then(
    () => true,
    (cause: unknown) => {
      if (cause instanceof WiggumError && cause.code === 'GIT_FAILED') return false;
      throw cause;
    },
  );
}
