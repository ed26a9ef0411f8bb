import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../config/package-root.ts';
import { readEnd, readLease, type AttemptEnd } from './attempt-records.ts';
import { writeDurably } from '../durable-file.ts';

/** What a keeper runs, and when it stops. Secrets go by the environment, never into this record. */
export interface KeeperJob {
  program: string;
  args: string[];
  cwd: string;
  stdinFile: string;
  stdoutFile: string;
  stderrFile: string;
  pidFile: string;
  timeoutMs: number;
  /** From SIGTERM to SIGKILL. */
  graceMs: number;
  /** The same at the time limit, when it is another. */
  timeoutGraceMs?: number;
  /** The same when the worker has died: somebody may be waiting for the workspace. */
  orphanGraceMs: number;
  maxOutputBytes: number;
}

export interface Keeper {
  /** Orders the end of the agent and of all it started; `ended` tells when that is done. */
  stop(why?: 'stopped' | 'stalled'): void;
  ended: Promise<AttemptEnd>;
}

/** Name of the variable that marks every process of an attempt; keeper-processes.mjs has it too. */
const MARKER_NAME = 'WIGGUM_ATTEMPT';

/** Starts a keeper on an attempt's folder, which holds a lease. The agent inherits `environment` and nothing else. */
export async function startKeeper(
  folder: string,
  job: KeeperJob,
  environment: Readonly<Record<string, string>>,
): Promise<Keeper> {
  const lease = await readLease(folder);
  if (!lease) throw new Error(`${folder} has no lease.`);
  await writeDurably(join(folder, 'job.json'), `${JSON.stringify(job, null, 2)}\n`);

  const log = await open(join(folder, 'keeper.log'), 'a', 0o600);
  const child = spawn(process.execPath, [keeperProgram(), 'keep', folder], {
    cwd: folder,
    env: { ...environment, [MARKER_NAME]: lease.marker },
    // The pipe is the death pipe: the system closes our end when we die, however we die.
    stdio: ['pipe', log.fd, log.fd],
    detached: true,
  });
  child.stdin?.on('error', () => {}); // the keeper has gone; `ended` says so
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  await log.close();

  return {
    stop: (why = 'stopped') => child.stdin?.write(`${why}\n`),
    ended: gone.then(async () => {
      child.stdin?.destroy();
      return (await readEnd(folder)) ?? endLeftOvers(folder);
    }),
  };
}

/** Ends what a keeper that died without an end record left running, and writes that record. */
export async function endLeftOvers(folder: string): Promise<AttemptEnd> {
  const child = spawn(process.execPath, [keeperProgram(), 'end', folder], {
    env: { PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.on(
    'data',
    (chunk: Buffer) => (complaint = (complaint + String(chunk)).slice(-2_000)),
  );
  await once(child, 'close');
  const end = await readEnd(folder);
  if (!end) throw new Error(`What is left of ${folder} could not be ended: ${complaint.trim()}`);
  return end;
}

function keeperProgram(): string {
  return join(packageRoot(), 'activities/agent/keeper-main.mjs');
}
