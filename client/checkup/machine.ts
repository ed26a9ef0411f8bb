import { execFile } from 'node:child_process';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { stateDir, type Environment } from '../../config/state-dir.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { claudeProgram, findProgram } from '../../config/find-program.ts';
import { gitVersion, isSupportedGit, OLDEST_GIT_VERSION } from '../git.ts';
import { fail, pass, warn, type Check } from './check.ts';

const run = promisify(execFile);
const OLDEST_NODE = [20, 19] as const;
const LEAST_DISK_MB = 500;
const ANSWER_MS = 5_000;

export interface Machine {
  environment: Environment;
  cwd: string;
  nodeVersion: string;
  /** The backend that runs would use here. */
  backend: string;
}

/** Looks at what every project on this machine needs. */
export async function checkMachine(machine: Machine): Promise<Check[]> {
  const { environment, cwd, nodeVersion } = machine;
  const state = stateDir(environment);
  return [
    checkNode(nodeVersion),
    await checkGit(cwd),
    await checkStateFolder(state),
    checkDisk(await freeMegabytes(state)),
    await checkClaude(machine),
  ];
}

/** Judges the version of Node. */
export function checkNode(version: string): Check {
  const numbers = version.split('.').map(Number);
  return isAtLeast(numbers, OLDEST_NODE)
    ? pass('Node', version)
    : fail('Node', version, `Install Node ${OLDEST_NODE.join('.')} or newer: https://nodejs.org`);
}

/** Judges the room on the disk of the state folder. */
export function checkDisk(freeMb: number | undefined): Check {
  if (freeMb === undefined)
    return warn('disk', 'the free space cannot be told', 'Look at it yourself: `df -h`.');
  const found = freeMb > 10_240 ? `${Math.floor(freeMb / 1024)} GB free` : `${freeMb} MB free`;
  return freeMb >= LEAST_DISK_MB
    ? pass('disk', found)
    : fail('disk', found, `Free some space: ${LEAST_DISK_MB} MB are needed at least.`);
}

/** Asks a program for its version; undefined when it does not answer in time. */
export async function askVersion(
  program: string,
  words: readonly string[],
  environment: Environment,
): Promise<string | undefined> {
  try {
    const { stdout } = await run(program, [...words], {
      env: { ...environment },
      timeout: ANSWER_MS,
    });
    return stdout.trim().split('\n')[0] || undefined;
  } catch {
    return undefined;
  }
}

async function checkGit(cwd: string): Promise<Check> {
  const advice = `Install git ${OLDEST_GIT_VERSION} or newer: https://git-scm.com`;
  try {
    const version = await gitVersion(cwd);
    const found = version.join('.');
    return isSupportedGit(version) ? pass('git', found) : fail('git', found, advice);
  } catch (cause) {
    if (!(cause instanceof WiggumError)) throw cause;
    return fail('git', cause.message, advice);
  }
}

/** Looks without making anything: the folder may be created by the first run. */
async function checkStateFolder(folder: string): Promise<Check> {
  const advice = 'Make it writable for you, or set WIGGUM_STATE_DIR to a folder that is.';
  const there = await nearestThere(folder);
  const found = await stat(there).catch(() => undefined);
  if (!found?.isDirectory()) return fail('state folder', `${there} is not a folder`, advice);
  try {
    await access(there, constants.W_OK | constants.X_OK);
  } catch {
    return fail('state folder', `${there} cannot be written`, advice);
  }
  return pass('state folder', there === folder ? folder : `${folder} (made by the first run)`);
}

async function checkClaude({ environment, cwd, backend }: Machine): Promise<Check> {
  const name = claudeProgram(environment);
  const program = await findProgram(name, environment, cwd);
  const advice =
    'npm install -g @anthropic-ai/claude-code, or set CLAUDE to its path; `--backend script` works without it.';
  const judge = backend === 'claude' ? fail : warn;
  if (!program) return judge('claude', `${name} is not on PATH`, advice);
  const version = await askVersion(program, ['--version'], environment);
  return version
    ? pass('claude', `${version} (${program})`)
    : judge('claude', `${program} does not tell its version within 5 seconds`, advice);
}

async function freeMegabytes(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(await nearestThere(folder));
    return Math.floor((bavail * bsize) / (1024 * 1024));
  } catch {
    return undefined;
  }
}

async function nearestThere(path: string): Promise<string> {
  const exists = await stat(path).then(
    () => true,
    // Below a file nothing can be: the file itself is what stands there.
    () => false,
  );
  return exists || path === dirname(path) ? path : nearestThere(dirname(path));
}

function isAtLeast(version: readonly number[], floor: readonly number[]): boolean {
  for (const [place, wanted] of floor.entries()) {
    const had = version[place] ?? 0;
    if (had !== wanted) return had > wanted;
  }
  return true;
}
