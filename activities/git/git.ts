import { execa } from 'execa';
import { WiggumError } from '../../workflows/domain/errors.ts';

/**
 * Where a git command works. `project`: the user's own repository, whose settings are the user's
 * (line endings, LFS, safe.directory). `ours`: a repository of ours, which an agent may have
 * touched: nothing but its own pinned configuration counts.
 */
export type Repository =
  | { kind: 'project'; directory: string }
  | { kind: 'ours'; gitDir: string; workTree?: { directory: string; commonDir: string } };

/** No git command of ours takes longer, unless the disk is gone. */
export const TIMEOUT_MS = 120_000;

export interface GitOptions {
  input?: string;
  timeoutMs?: number;
  environment?: Readonly<Record<string, string>>;
}

export interface GitAnswer {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs one git command and gives its output; any exit code but 0 is an error. */
export async function git(
  repository: Repository,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  const answer = await askGit(repository, args, options);
  if (answer.exitCode !== 0) throw gitFailed(repository, args, answer);
  return answer.stdout;
}

/**
 * Runs one git command whose exit code is an answer; only a command that could not run throws.
 * Through execa: simple-git hides exit codes, and several of these commands answer by them.
 */
export async function askGit(
  repository: Repository,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitAnswer> {
  const result = await execa('git', [...placement(repository), ...args], {
    cwd: workingDirectory(repository),
    env: { ...environmentOf(repository), ...options.environment },
    extendEnv: false,
    input: options.input ?? '',
    reject: false,
    timeout: options.timeoutMs ?? TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT,
  });
  const { exitCode, stdout, stderr } = result;
  if (exitCode === undefined)
    throw gitFailed(repository, args, { exitCode: -1, stdout, stderr: result.shortMessage ?? '' });
  return { exitCode, stdout, stderr };
}

const MAX_OUTPUT = 64 * 1024 * 1024;

/** Settings that hold in every repository, as pairs of key and value. */
const SETTINGS: readonly (readonly [string, string])[] = [
  // Nothing that lies in a repository may run.
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  // No question to a person who is not there.
  ['credential.helper', ''],
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  // Objects come from folders of this machine, never over a network or by a helper program.
  ['protocol.allow', 'never'],
  ['protocol.file.allow', 'always'],
  // No collector starts behind our back: it would prune what other repositories borrow.
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['submodule.recurse', 'false'],
  ['rebase.autoSquash', 'false'],
  ['rebase.updateRefs', 'false'],
];

/** Runs one git command whose output is not text. */
export async function gitBytes(
  repository: Repository,
  args: readonly string[],
): Promise<Uint8Array> {
  const result = await execa('git', [...placement(repository), ...args], {
    cwd: workingDirectory(repository),
    env: environmentOf(repository),
    extendEnv: false,
    input: '',
    reject: false,
    timeout: TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT,
    encoding: 'buffer',
    stripFinalNewline: false,
  });
  if (result.exitCode === 0) return result.stdout;
  const stderr = new TextDecoder().decode(result.stderr) || (result.shortMessage ?? '');
  throw gitFailed(repository, args, { exitCode: result.exitCode ?? -1, stdout: '', stderr });
}

/** The entries of an answer that git gave with `-z`. */
export function entriesOf(answer: string): string[] {
  return answer.split('\0').filter(Boolean);
}

/** The files that stand below a complaint of git, each on a line of its own behind a tab. */
export function filesBelow(complaint: string, stderr: string): string[] {
  if (!stderr.includes(complaint)) return [];
  const lines = stderr.split('\n').filter((line) => line.startsWith('\t'));
  return lines.map((line) => line.trim());
}

/** The whole environment of a git command: built from scratch, nothing of ours leaks in. */
export function environmentOf(repository: Repository): Record<string, string> {
  const environment: Record<string, string> = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    LC_ALL: 'C', // messages are parsed
    TZ: 'UTC',
    GIT_TERMINAL_PROMPT: '0',
    GIT_EDITOR: 'true', // a message is never edited
    GIT_SEQUENCE_EDITOR: 'true',
    GIT_PAGER: 'cat',
    GIT_OPTIONAL_LOCKS: '0', // looking never writes the user's index
    GIT_CONFIG_COUNT: String(SETTINGS.length),
  };
  SETTINGS.forEach(([key, value], index) => {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  if (process.env.TMPDIR) environment.TMPDIR = process.env.TMPDIR;
  if (repository.kind === 'project') {
    for (const name of ['HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM']) {
      const value = process.env[name];
      if (value !== undefined) environment[name] = value;
    }
    return environment;
  }
  environment.GIT_CONFIG_NOSYSTEM = '1';
  environment.GIT_CONFIG_GLOBAL = '/dev/null';
  environment.GIT_ATTR_NOSYSTEM = '1';
  // Given by hand, so that a `.git` file or `commondir` that an agent rewrote leads nowhere.
  if (repository.workTree) environment.GIT_COMMON_DIR = repository.workTree.commonDir;
  return environment;
}

// In the argument list, not the environment: a process that outlived its worker is found by it.
function placement(repository: Repository): string[] {
  if (repository.kind === 'project') return [];
  return [
    `--git-dir=${repository.gitDir}`,
    ...(repository.workTree ? [`--work-tree=${repository.workTree.directory}`] : []),
  ];
}

/** The folder a command for this repository runs in. */
export function workingDirectory(repository: Repository): string {
  if (repository.kind === 'project') return repository.directory;
  return repository.workTree?.directory ?? repository.gitDir;
}

function gitFailed(
  repository: Repository,
  args: readonly string[],
  { exitCode, stderr }: GitAnswer,
): WiggumError {
  const lastWords = stderr.trim().split('\n').slice(-LAST_LINES).join('\n') || 'no message';
  const command = args.join(' ').slice(0, MAX_COMMAND);
  return new WiggumError('GIT_FAILED', `git ${command} ended with ${exitCode}: ${lastWords}`, {
    where: workingDirectory(repository),
  });
}

const LAST_LINES = 5;
const MAX_COMMAND = 200;
