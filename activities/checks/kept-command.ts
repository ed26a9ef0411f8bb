import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Context } from '@temporalio/activity';
import { z } from 'zod';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import type { AttemptEnd } from '../agent/attempt-records.ts';
import { startKeeper, type Keeper } from '../agent/keeper.ts';
import { releaseLease, releasing, takeLease, turnFolder, type HeldLease } from '../agent/lease.ts';
import { appendLine } from '../append-line.ts';
import type { HostDependencies } from '../dependencies.ts';
import { readIfThere, writeDurably } from '../durable-file.ts';

/** A program of the project's own, to be run in a workspace. */
export interface KeptCommand {
  place: RunPlace;
  /** The same on every retry: what has ended under it is not run again. */
  key: string;
  program: string;
  args: string[];
  /** How people know it. */
  title: string;
  /** Name of its log in `logs/`, without the ending. */
  logName: string;
  timeoutMs: number;
  environment: Record<string, string>;
}

const endedSchema = z.object({ exitCode: z.number(), log: z.string() });
export type CommandEnd = z.infer<typeof endedSchema>;

const BEAT_EVERY_MS = 1_000;
const GRACE_MS = 5_000;
/** To end the last program, and to tell about it. */
const SPARE_MS = 5 * 60_000;
const ORPHAN_GRACE_MS = 2_000;
const MAX_LOG_BYTES = 64 * 1024 * 1024;

/** As `timeout` of the shell world, and its neighbour for a log that outgrew its limit. */
const TIMED_OUT = 124;
const FLOODED = 125;
/** As the shell says that there is no such program. */
const NOT_STARTED = 127;
/** A program that a signal ended by itself has no exit code; the shell would give one like this. */
const SIGNALLED = 128;

/**
 * Runs a program under a keeper like an agent: no process of it outlives the worker, and none runs
 * beside an agent. A retry does not repeat what has ended.
 */
export async function runKept(command: KeptCommand, host: HostDependencies): Promise<CommandEnd> {
  const { info, cancellationSignal } = Context.current();
  cancellationSignal.throwIfAborted();
  const { place, key } = command;
  const finished = path.join(turnFolder(place.workerDir, key), 'finished.json');
  const known = parseEnd(await readIfThere(finished));
  if (known) return known;

  const log = (attempt: number) => {
    const again = attempt > 1 ? `-attempt-${attempt}` : '';
    return path.join(place.workerDir, 'logs', `${command.logName}${again}.log`);
  };
  const { workflowId = '', runId = '' } = info.workflowExecution ?? {};
  const lease = await takeLease({
    place,
    key,
    hostId: host.hostId,
    activity: { workflowId, runId, activityId: info.activityId, attempt: info.attempt },
    log,
  });
  const before = await releasing(lease, () => endedBefore(lease));
  if (before) await releaseLease(lease.folder, 'it has ended before');
  const ended = before ?? (await underKeeper(lease, command, log(lease.attempt)));
  await writeDurably(finished, `${JSON.stringify(ended)}\n`);
  return ended;
}

/** What all programs of one activity may take together, in milliseconds: a little less than it may itself. */
export function timeForAll(): number {
  return Math.max(0, Context.current().info.startToCloseTimeoutMs - SPARE_MS);
}

// Written whole or not at all: what cannot be read is not ours, and proves nothing.
function parseEnd(text: string | undefined): CommandEnd | undefined {
  try {
    return text === undefined ? undefined : endedSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** What a worker that died in the meantime did not come to write down: the keeper has. */
async function endedBefore({ earlier }: HeldLease): Promise<CommandEnd | undefined> {
  for (const { end, lease } of earlier) {
    const ended = end && (await endOf(end, lease.log));
    if (ended) return ended;
  }
  return undefined;
}

async function underKeeper(
  lease: HeldLease,
  command: KeptCommand,
  log: string,
): Promise<CommandEnd> {
  const { cancellationSignal, heartbeat } = Context.current();
  const { title } = command;
  const keeper = await releasing(lease, () => start(lease, command, log));
  const stop = () => keeper.stop();
  cancellationSignal.addEventListener('abort', stop, { once: true });
  if (cancellationSignal.aborted) stop();
  // A cancellation arrives only in answer to a heartbeat.
  const beat = setInterval(() => heartbeat({ command: title }), BEAT_EVERY_MS);
  try {
    const end = await keeper.ended;
    const ended = await endOf(end, log);
    if (ended) return ended;
    cancellationSignal.throwIfAborted();
    throw new Error(`\`${title}\` has no result: ${end.error?.message ?? end.reason}`);
  } finally {
    clearInterval(beat);
    cancellationSignal.removeEventListener('abort', stop);
  }
}

async function start(
  { folder }: HeldLease,
  { place, program, args, title, timeoutMs, environment }: KeptCommand,
  log: string,
): Promise<Keeper> {
  await mkdir(path.dirname(log), { recursive: true });
  await writeFile(log, `$ ${title}\n`);
  return startKeeper(
    folder,
    {
      program,
      args,
      cwd: place.workspace,
      stdinFile: '/dev/null',
      stdoutFile: log,
      stderrFile: log,
      pidFile: path.join(folder, 'command.pid'),
      timeoutMs: Math.max(1, Math.round(timeoutMs)),
      graceMs: GRACE_MS,
      orphanGraceMs: ORPHAN_GRACE_MS,
      maxOutputBytes: 2 * MAX_LOG_BYTES, // the keeper counts the one file as both
    },
    environment,
  );
}

/** The end of a program, and a word in its log when it was not its own; undefined when it has to run again. */
async function endOf(end: AttemptEnd, log: string): Promise<CommandEnd | undefined> {
  const says = (words: string) => appendLine(log, words, { unless: words });
  switch (end.reason) {
    case 'exited':
      return { exitCode: end.exitCode ?? SIGNALLED, log };
    case 'timeout':
      await says(`ended by us after ${secondsOf(end)} s`);
      return { exitCode: TIMED_OUT, log };
    case 'output-limit':
      await says(`ended by us: it wrote more than ${MAX_LOG_BYTES} bytes`);
      return { exitCode: FLOODED, log };
    case 'not-started':
      if (!GONE.includes(end.error?.code ?? '')) return undefined;
      await says(end.error?.message ?? 'it could not be started');
      return { exitCode: NOT_STARTED, log };
    case 'stopped':
    case 'stalled':
    case 'worker-died':
    case 'keeper-died':
      return undefined;
  }
}

function secondsOf({ startedAt, endedAt }: AttemptEnd): number {
  return Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 1_000);
}

/** Trying again brings no program. */
const GONE = ['ENOENT', 'EACCES', 'ENOTDIR', 'ENOEXEC', 'EISDIR', 'E2BIG'];
