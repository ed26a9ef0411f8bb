import { z } from 'zod';
import { writtenFiles } from '../config/worker-files.ts';
import type { GateResult } from '../workflows/domain/steps.ts';
import type { Usage } from '../workflows/domain/usage.ts';

/** How a step, or the task run itself, ended: as its result file tells it. */
export interface WorkerRecord {
  agent: string;
  /** Absent for the record of the task run. */
  step?: string;
  result: GateResult;
  startedAt: string;
  endedAt: string;
  iterations: number;
  errors: string[];
  outputs: Readonly<Record<string, string>>;
  usage: Usage;
}

/** The results of a task run that we wrote, in the order in which they came. */
export async function readRecords(workerDir: string): Promise<WorkerRecord[]> {
  const files = await writtenFiles(workerDir, ({ file }) => file.startsWith('results/'));
  return files
    .flatMap(({ content }) => parseRecord(content))
    .sort((one, other) => Date.parse(one.endedAt) - Date.parse(other.endedAt));
}

const amount = z.number().nonnegative().default(0);
const model = z
  .object({
    input_tokens: amount,
    output_tokens: amount,
    cache_read_tokens: amount,
    cache_write_tokens: amount,
    cost_usd: amount,
  })
  .transform((used) => ({
    inputTokens: used.input_tokens,
    outputTokens: used.output_tokens,
    cacheReadTokens: used.cache_read_tokens,
    cacheWriteTokens: used.cache_write_tokens,
    costUsd: used.cost_usd,
  }));
const record = z
  .object({
    agent_type: z.string(),
    started_at: z.string(),
    completed_at: z.string(),
    iterations_completed: amount,
    outputs: z.record(z.string(), z.string()),
    errors: z.array(z.string()).default([]),
    metadata: z.object({
      step_id: z.string().optional(),
      cost_usd: amount,
      turns: amount,
      seconds: amount,
      tokens: z.object({ input: amount, output: amount }).prefault({}),
      models: z.record(z.string(), model).default({}),
    }),
  })
  .transform(({ metadata, ...told }): WorkerRecord => ({
    agent: told.agent_type,
    ...(metadata.step_id !== undefined && { step: metadata.step_id }),
    result: told.outputs['gate_result'] ?? 'UNKNOWN',
    startedAt: told.started_at,
    endedAt: told.completed_at,
    iterations: told.iterations_completed,
    errors: told.errors,
    outputs: told.outputs,
    usage: {
      turns: metadata.turns,
      inputTokens: metadata.tokens.input,
      outputTokens: metadata.tokens.output,
      costUsd: metadata.cost_usd,
      seconds: metadata.seconds,
      models: metadata.models,
    },
  }));

// A record of another version that says less is passed over.
function parseRecord(text: string): WorkerRecord[] {
  try {
    return [record.parse(JSON.parse(text))];
  } catch {
    return [];
  }
}
