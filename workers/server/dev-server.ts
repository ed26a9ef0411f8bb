import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../../activities/process-identity.ts';
import { stateDir, type Environment } from '../../config/state-dir.ts';
import { endProcess } from './end-process.ts';
import { withFolderLock } from './folder-lock.ts';
import { addressOf, makeReady, NAMESPACE } from './launch-server.ts';
import type { Log } from './log.ts';
import { makeWritable } from './make-writable.ts';
import { launchFitting } from './older-data.ts';
import { openProbe } from './probe.ts';
import { readRecord, writeRecord, type ServerRecord } from './server-record.ts';

export interface ServerInfo {
  address: string;
  namespace: string;
  uiUrl: string;
  pid: number;
  /** Whether this call started it; false when it ran already. */
  startedByUs: boolean;
  dataDir: string;
  logFile: string;
  /** Of the Temporal program. */
  version: string;
}

export type ServerStatus =
  | { kind: 'running'; info: ServerInfo }
  | { kind: 'not-answering'; info: ServerInfo; reason: string }
  /** `asked`: somebody stopped it; otherwise it died. */
  | { kind: 'stopped'; asked: boolean; info: ServerInfo }
  | { kind: 'never-started' };

interface Call {
  environment: Environment;
  log: Log;
}

const STUCK_AFTER_MS = 15_000;
const ASK_EVERY_MS = 100;

/** Finds this user's server, or starts it: one per user, however many commands ask at once. */
export async function ensureServer({ environment, log }: Call): Promise<ServerInfo> {
  const state = await makeWritable(stateDir(environment));
  const record = await readRecord(state);
  if (record?.ready && !record.stopped && (await serves(record))) return infoOf(record, false);
  return underLock(state, log, async () =>
    takeUpOrLaunch({ environment, log }, await readRecord(state)),
  );
}

/** Brings this user's server back, unless somebody stopped it on purpose: it is theirs to start. */
export async function reviveServer({
  environment,
  log,
}: Call): Promise<ServerInfo | 'stopped-on-purpose'> {
  const state = stateDir(environment);
  if ((await readRecord(state))?.stopped) return 'stopped-on-purpose';
  return underLock(state, log, async () => {
    // Once more: the stop may have been what we waited for.
    const last = await readRecord(state);
    return last?.stopped ? 'stopped-on-purpose' : takeUpOrLaunch({ environment, log }, last);
  });
}

/** Tells how this user's server is, without changing anything. */
export async function serverStatus({
  environment,
}: {
  environment: Environment;
}): Promise<ServerStatus> {
  const record = await readRecord(stateDir(environment));
  if (!record) return { kind: 'never-started' };
  const info = infoOf(record, false);
  if (!(await isAlive(record.process))) return { kind: 'stopped', asked: record.stopped, info };
  const probe = openProbe({ address: info.address });
  try {
    return (await probe.answers())
      ? { kind: 'running', info }
      : { kind: 'not-answering', info, reason: probe.reason() };
  } finally {
    await probe.close();
  }
}

/** Where this user's server serves, or served last; undefined when none ever did. */
export async function knownAddress(environment: Environment): Promise<string | undefined> {
  const record = await readRecord(stateDir(environment));
  return record?.ready ? addressOf(record.ports) : undefined;
}

/** Stops this user's server; tells whether there was one. Data stay, the next command goes on. */
export async function stopServer({ environment, log }: Call): Promise<'stopped' | 'not-running'> {
  const state = await makeWritable(stateDir(environment));
  return underLock(state, log, async () => {
    const record = await readRecord(state);
    if (!record) return 'not-running';
    // First, so that nobody who watches takes the end for an accident.
    await writeRecord(state, { ...record, stopped: true });
    const how = await endProcess(record.process);
    if (how === 'killed') log(`The server (pid ${record.process.pid}) had to be killed`);
    return how === 'was-dead' ? 'not-running' : 'stopped';
  });
}

async function takeUpOrLaunch(
  { environment, log }: Call,
  last: ServerRecord | undefined,
): Promise<ServerInfo> {
  const state = stateDir(environment);
  const found = last && (await takeUp(state, last, log));
  if (found) return infoOf(found, false);
  const began = performance.now();
  const started = await launchFitting({ state, environment, log }, last);
  log(
    `Temporal server ${started.version} started in ${((performance.now() - began) / 1000).toFixed(1)} s: ${addressOf(started.ports)}, pages at ${uiUrlOf(started)}`,
  );
  return infoOf(started, true);
}

/** A server that lives is taken as it is; one that is stuck is ended, so that a new one can start. */
async function takeUp(
  state: string,
  record: ServerRecord,
  log: Log,
): Promise<ServerRecord | undefined> {
  if (!(await isAlive(record.process))) {
    if (!record.stopped && record.ready)
      log(`The Temporal server (pid ${record.process.pid}) has died; it is started again`);
    return undefined;
  }
  if (await servesWithin(record, STUCK_AFTER_MS)) {
    // A `stop` that was itself killed leaves its mark on a server that lives on.
    const wanted = { ...record, stopped: false };
    if (!record.ready) return makeReady(state, wanted);
    await writeRecord(state, wanted);
    return wanted;
  }
  log(`The Temporal server (pid ${record.process.pid}) does not answer; it is started again`);
  await endProcess(record.process);
  return undefined;
}

async function serves(record: ServerRecord): Promise<boolean> {
  return (await isAlive(record.process)) && (await servesWithin(record, 0));
}

async function servesWithin(record: ServerRecord, withinMs: number): Promise<boolean> {
  const probe = openProbe({ address: addressOf(record.ports) });
  const deadline = Date.now() + withinMs;
  try {
    for (;;) {
      if (await probe.answers()) return true;
      if (Date.now() >= deadline || !(await isAlive(record.process))) return false;
      await sleep(ASK_EVERY_MS);
    }
  } finally {
    await probe.close();
  }
}

function underLock<T>(state: string, log: Log, work: () => Promise<T>): Promise<T> {
  const onWait = (pid: number) => log(`Process ${pid} is at work on the server; waiting for it`);
  return withFolderLock({ folder: state, name: 'server.lock', onWait }, work);
}

function infoOf(record: ServerRecord, startedByUs: boolean): ServerInfo {
  const { process, dataDir, logFile, version } = record;
  return {
    address: addressOf(record.ports),
    namespace: NAMESPACE,
    uiUrl: uiUrlOf(record),
    pid: process.pid,
    startedByUs,
    dataDir,
    logFile,
    version,
  };
}

function uiUrlOf(record: ServerRecord): string {
  return `http://127.0.0.1:${record.ports.ui}`;
}
