import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { identityOf } from '../../activities/process-identity.ts';
import type { Environment } from '../../config/state-dir.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { endProcess } from './end-process.ts';
import type { Log } from './log.ts';
import { makeWritable } from './make-writable.ts';
import { choosePorts, USUAL_PORTS, type Ports } from './ports.ts';
import { prepareNamespace } from './prepare-namespace.ts';
import { openProbe } from './probe.ts';
import { serverArguments, serverEnvironment } from './server-arguments.ts';
import { readRecord, restoreRecord, writeRecord, type ServerRecord } from './server-record.ts';
import { serversOnFile } from './servers-on-file.ts';

export const NAMESPACE = 'default';
const HEALTHY_WITHIN_MS = 30_000;
/** What it prints once it listens; the prefix came with 1.6. */
const GREETING = /^(Temporal )?Server: /m;
const MUTE_MS = 10_000;
const LOG_LIMIT_BYTES = 10_000_000;
const ATTEMPTS = 3;

interface Launch {
  program: { path: string; version: string };
  state: string;
  environment: Environment;
  log: Log;
}

/** Starts a server in the background and waits until it is ready. The caller holds the lock. */
export async function launchServer(launch: Launch): Promise<ServerRecord> {
  const { state, program, log } = launch;
  const dataDir = await makeWritable(dataDirOf(state, program.version));
  for (const leftover of await serversOnFile(databaseIn(dataDir))) {
    log(`A server that nobody recorded runs on ${dataDir} (pid ${leftover.pid}); it is ended`);
    await endProcess(leftover);
  }
  const before = await readRecord(state);
  const previous = before?.ports;
  let preferred = [...(previous ? [previous] : []), USUAL_PORTS];
  for (let attempt = 1; ; attempt += 1) {
    const ports = await choosePorts(preferred);
    if (attempt === 1) tellPorts({ ports, previous, log });
    const outcome = await startOnce({ launch, dataDir, ports });
    if (outcome.kind === 'ready') return outcome.record;
    // It never served: what is known is still the server before it.
    await restoreRecord(state, before);
    // Somebody took the port between our look and the server's: any free one will do then.
    if (!outcome.portTaken || attempt === ATTEMPTS) throw startFailed(outcome.said, dataDir);
    preferred = [];
  }
}

/** Sets up what a server needs before anyone works with it, and notes that it was done. */
export async function makeReady(state: string, record: ServerRecord): Promise<ServerRecord> {
  const connection = await Connection.connect({ address: addressOf(record.ports) });
  try {
    await prepareNamespace(connection, NAMESPACE);
  } finally {
    await connection.close();
  }
  const ready = { ...record, ready: true };
  await writeRecord(state, ready);
  return ready;
}

export function addressOf(ports: Ports): string {
  return `127.0.0.1:${ports.grpc}`;
}

/** The version is in the name: a server does not migrate what another version wrote. */
export function dataDirOf(state: string, version: string): string {
  return path.join(state, `server-${version}`);
}

type Outcome =
  { kind: 'ready'; record: ServerRecord } | { kind: 'ended'; said: string; portTaken: boolean };

async function startOnce({
  launch: { program, state, environment },
  dataDir,
  ports,
}: {
  launch: Launch;
  dataDir: string;
  ports: Ports;
}): Promise<Outcome> {
  const logFile = logIn(dataDir);
  const { fd, close, from } = await openLog(logFile);
  const child = spawn(
    program.path,
    serverArguments({ port: ports.grpc, uiPort: ports.ui, databaseFile: databaseIn(dataDir) }),
    {
      cwd: dataDir,
      env: serverEnvironment(environment),
      // Its own session: neither Ctrl-C nor the end of the terminal reaches it.
      detached: true,
      stdio: ['ignore', fd, fd],
    },
  );
  let ended: string | undefined;
  child.once('error', (cause) => (ended = cause.message));
  child.once('exit', (code, signal) => (ended = `it ended with ${signal ?? `code ${code}`}`));
  child.unref();
  await close();

  const identity = child.pid === undefined ? undefined : await identityOf(child.pid);
  if (identity) {
    const record: ServerRecord = {
      process: identity,
      ...{ program: program.path, version: program.version, dataDir, logFile, ports },
      ...{ startedAt: new Date().toISOString(), ready: false, stopped: false },
    };
    await writeRecord(state, record);
    const hasBound = async () => GREETING.test(await textSince(logFile, from));
    if (await isHealthy({ ports, hasBound, hasEnded: () => ended !== undefined }))
      return { kind: 'ready', record: await makeReady(state, record) };
    if (ended === undefined) {
      await endProcess(identity);
      ended = `it did not answer within ${HEALTHY_WITHIN_MS / 1000} s`;
    }
  }
  const lines = (await textSince(logFile, from)).trim();
  return {
    kind: 'ended',
    said: [ended ?? 'it ended at once', ...lines.split('\n').slice(-5)].join('\n'),
    portTaken: lines.includes('address already in use'),
  };
}

/**
 * Waits for the answer of our server. Another one may answer on the port that ours is just failing to
 * take, so ours must have greeted; a version that greets otherwise must at least live on.
 */
async function isHealthy({
  ports,
  hasBound,
  hasEnded,
}: {
  ports: Ports;
  hasBound: () => Promise<boolean>;
  hasEnded: () => boolean;
}): Promise<boolean> {
  const probe = openProbe({ address: addressOf(ports) });
  const began = Date.now();
  const waited = () => Date.now() - began;
  try {
    while (!hasEnded() && waited() < HEALTHY_WITHIN_MS) {
      const isOurs = (await hasBound()) || waited() > MUTE_MS;
      if (isOurs && (await probe.answers()) && !hasEnded()) return true;
      await sleep(50);
    }
    return false;
  } finally {
    await probe.close();
  }
}

/** The log of earlier servers stays, as long as it is not large. */
async function openLog(
  file: string,
): Promise<{ fd: number; from: number; close: () => Promise<void> }> {
  const size = (await stat(file).catch(() => undefined))?.size ?? 0;
  const isLarge = size > LOG_LIMIT_BYTES;
  if (isLarge) await rename(file, `${file}.1`);
  const handle = await open(file, 'a', 0o600);
  return { fd: handle.fd, from: isLarge ? 0 : size, close: () => handle.close() };
}

function textSince(file: string, start: number): Promise<string> {
  return text(createReadStream(file, { start }));
}

function tellPorts({
  ports,
  previous = USUAL_PORTS,
  log,
}: {
  ports: Ports;
  previous: Ports | undefined;
  log: Log;
}): void {
  if (ports.grpc === previous.grpc && ports.ui === previous.ui) return;
  log(
    `Another program uses port ${previous.grpc} or ${previous.ui}; the server takes ${ports.grpc} and ${ports.ui}`,
  );
}

function startFailed(said: string, dataDir: string): WiggumError {
  const logFile = logIn(dataDir);
  return new WiggumError(
    'SERVER_FAILED',
    `The Temporal server did not start: ${said}\nIts log is ${logFile}`,
    { where: logFile },
  );
}

function databaseIn(dataDir: string): string {
  return path.join(dataDir, 'temporal.db');
}

function logIn(dataDir: string): string {
  return path.join(dataDir, 'server.log');
}
