import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { readEnd, readLease, type AttemptEnd, type Lease } from './attempt-records.ts';
import { syncFolder, writeDurably } from '../durable-file.ts';
import { endLeftOvers } from './keeper.ts';
import { isAlive, ownIdentity } from '../process-identity.ts';

const LOOK_EVERY_MS = 200;
/** Longer than a keeper takes to end an agent that ignores SIGTERM after its worker died. */
const WAIT_MS = 8_000;

/** The Temporal activity on whose behalf an attempt runs. */
export interface ActivityIdentity {
  workflowId: string;
  runId: string;
  activityId: string;
  attempt: number;
}

/** The right to start an agent in a workspace, once. */
export interface HeldLease {
  folder: string;
  /** How often we started this turn, this time included. Temporal's count also has starts that never came to us. */
  attempt: number;
  /** Attempts of the same turn before this one, oldest first. */
  earlier: EarlierAttempt[];
}

export interface EarlierAttempt {
  folder: string;
  lease: Lease;
  end: AttemptEnd | undefined;
}

export interface LeaseRequest {
  place: RunPlace;
  key: string;
  hostId: string;
  activity: ActivityIdentity;
  /** Names the session log of attempt n. */
  log: (attempt: number) => string;
  waitMs?: number;
}

/** Takes the workspace for one attempt; refuses while any earlier attempt in this task run is not proven dead. */
export async function takeLease(request: LeaseRequest): Promise<HeldLease> {
  const { place, key, hostId } = request;
  await waitForDeath(await attemptFolders(place.workerDir), request);
  const parent = turnFolder(place.workerDir, key);
  const before = await attemptsOf(parent);
  const attempt = before.length + 1;
  const folder = join(parent, `attempt-${attempt}`);
  await claim(folder, {
    key,
    hostId,
    workflowId: request.activity.workflowId,
    runId: request.activity.runId,
    activityId: request.activity.activityId,
    temporalAttempt: request.activity.attempt,
    marker: randomUUID(),
    log: request.log(attempt),
    startedAt: new Date().toISOString(),
    worker: await ownIdentity(),
  });
  // Look again: somebody may have claimed another turn of this task run at the same moment.
  try {
    const others = (await attemptFolders(place.workerDir)).filter((each) => each !== folder);
    await waitForDeath(others, { ...request, waitMs: 0 });
  } catch (cause) {
    await releaseLease(folder, 'another attempt holds the workspace');
    throw cause;
  }
  return { folder, attempt, earlier: await Promise.all(before.map(describeAttempt)) };
}

/** Gives back a lease under which no keeper was started. */
export async function releaseLease(folder: string, message: string): Promise<void> {
  const now = new Date().toISOString();
  const end: AttemptEnd = {
    reason: 'not-started',
    exitCode: null,
    signal: null,
    error: { message },
    survivors: [],
    startedAt: now,
    endedAt: now,
  };
  await writeDurably(join(folder, 'end.json'), `${JSON.stringify(end, null, 2)}\n`);
}

/**
 * Does what comes before a keeper, or gives the lease back: without a keeper it is held by this
 * process, and would block the workspace as long as we live.
 */
export async function releasing<T>({ folder }: HeldLease, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    await releaseLease(folder, String(cause));
    throw cause;
  }
}

/** Where everything about one turn is kept: attempts and, at last, the finished record. */
export function turnFolder(workerDir: string, key: string): string {
  // Two keys may look alike once they are made into a name; the sum keeps them apart.
  const sum = createHash('sha256').update(key).digest('hex').slice(0, 8);
  const name = key.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 80);
  return join(workerDir, 'leases', `${name}-${sum}`);
}

/** The folders of all attempts of all turns in a task run. */
export async function attemptFolders(workerDir: string): Promise<string[]> {
  const leases = join(workerDir, 'leases');
  const turns = await namesIn(leases);
  return (await Promise.all(turns.map((turn) => attemptsOf(join(leases, turn))))).flat();
}

/** Whether nothing of an attempt lives any more. Where its keeper was killed, its agent is ended first. */
export async function isProvenDead(folder: string, hostId: string): Promise<boolean> {
  const end = await readEnd(folder);
  if (end?.survivors.length === 0) return true;
  const lease = await readLease(folder);
  if (!lease) return true;
  if (lease.hostId !== hostId) return false; // nobody can look at the processes of another machine
  if (await isAlive(lease.keeper ?? lease.worker)) return false;
  return (await endLeftOvers(folder)).survivors.length === 0;
}

async function waitForDeath(folders: string[], request: LeaseRequest): Promise<void> {
  const until = performance.now() + (request.waitMs ?? WAIT_MS);
  for (const folder of folders) {
    while (!(await isProvenDead(folder, request.hostId))) {
      if (performance.now() >= until)
        throw new WiggumError(
          'WORKSPACE_BUSY',
          `An earlier agent in ${request.place.workspace} is not proven dead yet.`,
          { where: folder },
        );
      await pause(LOOK_EVERY_MS);
    }
  }
}

// The folder appears together with its lease, by one rename; a second claim of the same number fails.
async function claim(folder: string, lease: Lease): Promise<void> {
  const parent = join(folder, '..');
  const beside = join(parent, `new-${lease.marker}`);
  await mkdir(beside, { recursive: true, mode: 0o700 });
  await writeDurably(join(beside, 'lease.json'), `${JSON.stringify(lease, null, 2)}\n`);
  try {
    await rename(beside, folder);
  } catch (cause) {
    await rm(beside, { recursive: true, force: true });
    throw new WiggumError('WORKSPACE_BUSY', `${folder} was claimed at the same moment.`, {
      where: folder,
      cause,
    });
  }
  await syncFolder(parent);
}

async function describeAttempt(folder: string): Promise<EarlierAttempt> {
  const lease = await readLease(folder);
  if (!lease) throw new WiggumError('WORKSPACE_BUSY', `${folder} has no lease.`, { where: folder });
  return { folder, lease, end: await readEnd(folder) };
}

async function attemptsOf(turn: string): Promise<string[]> {
  const number = (name: string) => Number(name.slice('attempt-'.length));
  return (await namesIn(turn))
    .filter((name) => /^attempt-\d+$/.test(name))
    .sort((one, other) => number(one) - number(other))
    .map((name) => join(turn, name));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw cause;
  }
}
