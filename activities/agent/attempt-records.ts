import { join } from 'node:path';
import { z } from 'zod';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { readIfThere } from '../durable-file.ts';

const identitySchema = z.object({ pid: z.number(), startTicks: z.string(), bootId: z.string() });

const leaseSchema = z.object({
  key: z.string(),
  hostId: z.string(),
  workflowId: z.string(),
  runId: z.string(),
  activityId: z.string(),
  temporalAttempt: z.number(),
  /** Value of the variable that every process of this attempt inherits. */
  marker: z.string(),
  /** Session log of this attempt. */
  log: z.string(),
  startedAt: z.string(),
  worker: identitySchema,
  /** Added by the keeper itself, before it starts the agent. */
  keeper: identitySchema.optional(),
  agent: identitySchema.optional(),
});

/** Who works on what, and how its death can be proven: `lease.json` of an attempt. */
export type Lease = z.infer<typeof leaseSchema>;

const endSchema = z.object({
  reason: z.enum([
    'exited',
    'stopped',
    'stalled',
    'worker-died',
    'timeout',
    'output-limit',
    'not-started',
    'keeper-died',
  ]),
  exitCode: z.number().nullable(),
  signal: z.string().nullable(),
  error: z.object({ code: z.string().optional(), message: z.string() }).optional(),
  /** Processes that even SIGKILL did not end. */
  survivors: z.array(z.number()),
  startedAt: z.string(),
  endedAt: z.string(),
});

/** How an attempt ended: `end.json`, written after the last of its processes. */
export type AttemptEnd = z.infer<typeof endSchema>;

/** Reads the lease of an attempt's folder; undefined when there is none. */
export function readLease(folder: string): Promise<Lease | undefined> {
  return readRecord(join(folder, 'lease.json'), leaseSchema);
}

/** Reads the end of an attempt; undefined while it runs, or when its keeper was killed. */
export function readEnd(folder: string): Promise<AttemptEnd | undefined> {
  return readRecord(join(folder, 'end.json'), endSchema);
}

async function readRecord<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await readIfThere(file);
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    // What it says is not known, so nothing may be started or ended on its word.
    throw new WiggumError('WORKSPACE_BUSY', `${file} cannot be read as a record of an attempt.`, {
      where: file,
      cause,
    });
  }
}
