import { createHash } from 'node:crypto';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Context } from '@temporalio/activity';
import { z } from 'zod';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import { readIfThere, writeDurably } from '../durable-file.ts';
import { allowedEnvironment } from '../agent/environment.ts';
import { startKeeper } from '../agent/keeper.ts';
import { takeLease, turnFolder, type HeldLease } from '../agent/lease.ts';
import type { HostDependencies } from '../dependencies.ts';
import { enterWorkspace } from '../git/task-repository.ts';

export interface CheckOrder {
  place: RunPlace;
  /** Command lines for the shell, in order; the first that fails ends the checks. */
  commands: readonly string[];
  purpose: 'before-pull-request' | 'after-rebase';
}

export type Checked = { ok: true } | { ok: false; failed: string; exitCode: number; log: string };

/** All commands together: a little less than the activity itself may take. */
const LIMIT_MS = 55 * 60_000;
const BEAT_EVERY_MS = 1_000;
const GRACE_MS = 5_000;
const ORPHAN_GRACE_MS = 2_000;
const MAX_LOG_BYTES = 64 * 1024 * 1024;

/** As `timeout` of the shell world, and its neighbour for a log that outgrew its limit. */
const TIMED_OUT = 124;
const FLOODED = 125;

/**
 * Runs the project's own checks in the workspace, under a keeper like an agent: no process of theirs
 * outlives the worker, and none runs beside an agent. A retry does not repeat what has ended.
 */
export async function runChecks(order: CheckOrder, host: HostDependencies): Promise<Checked> {
  const until = performance.now() + LIMIT_MS;
  await enterWorkspace(order.place);
  for (const [index, command] of order.commands.entries()) {
    const { exitCode, log } = await runCheck(order, index, until - performance.now(), host);
    if (exitCode !== 0) return { ok: false, failed: command, exitCode, log };
  }
  return { ok: true };
}

const endedSchema = z.object({ exitCode: z.number(), log: z.string() });
type Ended = z.infer<typeof endedSchema>;

async function runCheck(
  { place, commands, purpose }: CheckOrder,
  index: number,
  timeoutMs: number,
  host: HostDependencies,
): Promise<Ended> {
  const { info, cancellationSignal } = Context.current();
  cancellationSignal.throwIfAborted();
  const { workflowExecution, activityId } = info;
  const { workflowId = '', runId = '' } = workflowExecution ?? {};
  const key = `checks/${purpose}/${runId}/${activityId}/${index + 1}`;
  const finished = path.join(turnFolder(place.workerDir, key), 'finished.json');
  const known = await readIfThere(finished);
  if (known !== undefined) return endedSchema.parse(JSON.parse(known));

  const log = (attempt: number) => logFile(place, `${purpose}-${shortName(key)}`, attempt);
  const lease = await takeLease({
    place,
    key,
    hostId: host.hostId,
    activity: { workflowId, runId, activityId, attempt: info.attempt },
    log,
  });
  const ended = await underKeeper(lease, {
    place,
    command: commands[index] ?? '',
    log: log(lease.attempt),
    timeoutMs,
    environment: allowedEnvironment(host.environment),
  });
  await writeDurably(finished, `${JSON.stringify(ended)}\n`);
  return ended;
}

async function underKeeper(
  { folder }: HeldLease,
  check: {
    place: RunPlace;
    command: string;
    log: string;
    timeoutMs: number;
    environment: Record<string, string>;
  },
): Promise<Ended> {
  const { log, command, timeoutMs } = check;
  const { cancellationSignal, heartbeat } = Context.current();
  await mkdir(path.dirname(log), { recursive: true });
  await writeFile(log, `$ ${command}\n`);
  const keeper = await startKeeper(
    folder,
    {
      program: '/bin/sh',
      args: ['-c', command],
      cwd: check.place.workspace,
      stdinFile: '/dev/null',
      stdoutFile: log,
      stderrFile: log,
      pidFile: path.join(folder, 'check.pid'),
      timeoutMs: Math.max(1, Math.round(timeoutMs)),
      graceMs: GRACE_MS,
      orphanGraceMs: ORPHAN_GRACE_MS,
      maxOutputBytes: 2 * MAX_LOG_BYTES, // the keeper counts the one file as both
    },
    check.environment,
  );
  const stop = () => keeper.stop();
  cancellationSignal.addEventListener('abort', stop, { once: true });
  if (cancellationSignal.aborted) stop();
  // A cancellation arrives only in answer to a heartbeat.
  const beat = setInterval(() => heartbeat({ check: command }), BEAT_EVERY_MS);
  try {
    const end = await keeper.ended;
    switch (end.reason) {
      case 'exited':
        return { exitCode: end.exitCode ?? SIGNALLED, log };
      case 'timeout':
        await appendFile(log, `\nended by us after ${Math.round(timeoutMs / 1000)} s\n`);
        return { exitCode: TIMED_OUT, log };
      case 'output-limit':
        await appendFile(log, `\nended by us: it wrote more than ${MAX_LOG_BYTES} bytes\n`);
        return { exitCode: FLOODED, log };
      case 'stopped':
      case 'stalled':
      case 'worker-died':
      case 'not-started':
      case 'keeper-died':
        cancellationSignal.throwIfAborted();
        throw new Error(`\`${command}\` has no result: ${end.error?.message ?? end.reason}`);
    }
  } finally {
    clearInterval(beat);
    cancellationSignal.removeEventListener('abort', stop);
  }
}

// A check that a signal ended by itself has no exit code; the shell would give one like this.
const SIGNALLED = 128;

function logFile({ workerDir }: RunPlace, name: string, attempt: number): string {
  const again = attempt > 1 ? `-attempt-${attempt}` : '';
  return path.join(workerDir, 'logs', `checks-${name}${again}.log`);
}

function shortName(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}
