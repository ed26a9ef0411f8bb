import { renderWritten, sha256 } from '../../config/worker-files.ts';

/** What a result file is to say; the rest is ordinary. */
export interface RecordWish {
  agent: string;
  step?: string;
  result?: string;
  epoch: number;
  /** Seconds after the epoch at which it ended. */
  after?: number;
  costUsd?: number;
  turns?: number;
  tokens?: [number, number];
  model?: string;
  errors?: string[];
}

/** Files of a task run with results as the program writes them, and its list of them. */
export function resultFiles(folder: string, wishes: readonly RecordWish[]): Record<string, string> {
  const files = wishes.map((wish) => ({ wish, ...resultFile(wish) }));
  const list = files.map(({ wish: { agent: agentType, step, epoch }, file, text }) =>
    renderWritten({
      ...{ file, sha256: sha256(text), agentType, epoch, runId: `${step ?? 'task'}-${epoch}` },
      ...(step !== undefined && { stepId: step }),
    }),
  );
  return {
    [`${folder}/records.jsonl`]: list.map((line) => `${line}\n`).join(''),
    ...Object.fromEntries(files.map(({ file, text }) => [`${folder}/${file}`, text])),
  };
}

function resultFile(wish: RecordWish): { file: string; text: string } {
  const { agent, step, result = 'PASS', epoch, after = 10, costUsd = 0, turns = 0 } = wish;
  const [input, output] = wish.tokens ?? [0, 0];
  const used = { input_tokens: input, output_tokens: output, cost_usd: costUsd };
  const record = {
    agent_type: agent,
    status: 'success',
    exit_code: 0,
    started_at: new Date(epoch * 1000).toISOString(),
    completed_at: new Date((epoch + after) * 1000).toISOString(),
    iterations_completed: 1,
    outputs: { gate_result: result, session_id: `session-${epoch}`, branch: 'task/AB-1' },
    errors: wish.errors ?? [],
    metadata: {
      cost_usd: costUsd,
      turns,
      seconds: after,
      tokens: { input, output },
      models: wish.model === undefined ? {} : { [wish.model]: used },
      ...(step !== undefined && { step_id: step }),
    },
  };
  return { file: `results/${epoch}-${agent}-result.json`, text: JSON.stringify(record) };
}
