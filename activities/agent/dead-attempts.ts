import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readLease, type Lease } from './attempt-records.ts';
import { attemptFolders, isProvenDead } from './lease.ts';
import { isAlive } from '../process-identity.ts';

const LOOK_EVERY_MS = 200;
/** A keeper needs its grace to end an agent whose worker died. */
const WAIT_MS = 8_000;

/** An attempt that no process of this machine works on any more. */
export interface DeadAttempt {
  folder: string;
  lease: Lease;
}

/**
 * Lists, per task run, the last attempt when its worker died over it: whoever starts a host tells the
 * server. `servesSince` is when this process began to serve; what it held before that, it has given up.
 */
export async function deadAttempts(
  ralphDir: string,
  hostId: string,
  { servesSince = '', waitMs = WAIT_MS }: { servesSince?: string; waitMs?: number } = {},
): Promise<DeadAttempt[]> {
  const found = await Promise.all(
    // A record that cannot be read proves nothing: its attempt is left to the heartbeat time-out.
    (await workerDirs(ralphDir)).map((workerDir) =>
      lastOpenAttempt(workerDir, hostId, servesSince).catch(() => undefined),
    ),
  );
  const until = performance.now() + waitMs;
  const proven = await Promise.all(
    found
      .filter((attempt) => attempt !== undefined)
      .map(async (attempt) => ((await diesBefore(attempt, until)) ? attempt : undefined)),
  );
  return proven.filter((attempt) => attempt !== undefined);
}

// One agent runs in a task run at a time, so only the last attempt can be one the server waits for.
async function lastOpenAttempt(
  workerDir: string,
  hostId: string,
  servesSince: string,
): Promise<DeadAttempt | undefined> {
  let last: DeadAttempt | undefined;
  for (const folder of await attemptFolders(workerDir)) {
    const lease = await readLease(folder);
    if (lease && (!last || lease.startedAt > last.lease.startedAt)) last = { folder, lease };
  }
  if (last?.lease.hostId !== hostId || (await isHeld(last.lease, servesSince))) return undefined;
  // One that had finished is listed too: nobody knows whether its worker could still tell.
  return last;
}

async function isHeld({ worker, startedAt }: Lease, servesSince: string): Promise<boolean> {
  if (worker.pid === process.pid && startedAt < servesSince) return false;
  return isAlive(worker);
}

async function diesBefore({ folder, lease }: DeadAttempt, until: number): Promise<boolean> {
  while (!(await isProvenDead(folder, lease.hostId))) {
    if (performance.now() >= until) return false;
    await pause(LOOK_EVERY_MS);
  }
  return true;
}

async function workerDirs(ralphDir: string): Promise<string[]> {
  try {
    const names = await readdir(join(ralphDir, 'workers'));
    return names.map((name) => join(ralphDir, 'workers', name));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw cause;
  }
}
