import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { DECISIONS, type AgentOutcome, type AgentTurn } from '../../workflows/domain/agent.ts';
import { readIfThere, writeDurably } from '../durable-file.ts';
import { turnFolder } from './lease.ts';

const commonSchema = {
  result: z.string().optional(),
  complete: z.boolean(),
  report: z.string().optional(),
  decision: z.object({ kind: z.enum(DECISIONS), guidance: z.string() }).optional(),
  log: z.string(),
  sessionId: z.string(),
  usage: z.object({
    turns: z.number(),
    inputTokens: z.number(),
    outputTokens: z.number(),
    costUsd: z.number(),
    seconds: z.number(),
    models: z
      .record(
        z.string(),
        z.object({
          inputTokens: z.number(),
          outputTokens: z.number(),
          cacheReadTokens: z.number(),
          cacheWriteTokens: z.number(),
          costUsd: z.number(),
        }),
      )
      .default({}),
  }),
  startedAt: z.string(),
  endedAt: z.string(),
};

const withReason = <Kind extends string>(kind: Kind) =>
  z.object({ kind: z.literal(kind), reason: z.string(), ...commonSchema });

const outcomeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ok'), ...commonSchema }),
  z.object({ kind: z.literal('max-turns'), ...commonSchema }),
  withReason('agent-failed'),
  withReason('limit').extend({ resetsAt: z.string().optional() }),
  withReason('transient'),
  withReason('session-lost'),
  withReason('stalled'),
  withReason('timeout'),
  withReason('auth'),
  withReason('config'),
]) satisfies z.ZodType<AgentOutcome>;

const recordSchema = z.object({ key: z.string(), runId: z.string(), outcome: outcomeSchema });

/** A turn that has ended, as it stands on the disk. */
export type FinishedTurn = z.infer<typeof recordSchema>;

/** Reads how a turn ended; undefined while it has not. */
export async function readFinished(turn: AgentTurn): Promise<AgentOutcome | undefined> {
  const record = await readRecord(turnFolder(turn.place.workerDir, turn.key));
  return record?.key === turn.key ? record.outcome : undefined;
}

/** Puts the end of a turn on record, before anybody is told: a retry returns it and starts nothing. */
export async function writeFinished(turn: AgentTurn, outcome: AgentOutcome): Promise<void> {
  const folder = turnFolder(turn.place.workerDir, turn.key);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const record: FinishedTurn = { key: turn.key, runId: turn.runId, outcome };
  await writeDurably(join(folder, 'finished.json'), `${JSON.stringify(record, null, 2)}\n`);
}

/** All finished turns of a task run. */
export async function finishedTurns(workerDir: string): Promise<FinishedTurn[]> {
  const leases = join(workerDir, 'leases');
  const turns: FinishedTurn[] = [];
  // One after the other: a long run has hundreds.
  for (const name of await readdir(leases).catch(() => [])) {
    const turn = await readRecord(join(leases, name)).catch(() => undefined);
    if (turn) turns.push(turn);
  }
  return turns;
}

// Written whole or not at all: what cannot be read is not ours, and proves nothing.
async function readRecord(folder: string): Promise<FinishedTurn | undefined> {
  const text = await readIfThere(join(folder, 'finished.json'));
  try {
    return text === undefined ? undefined : recordSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
