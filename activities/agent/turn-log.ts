import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentTurn } from '../../workflows/domain/agent.ts';

/** Where an attempt's stream goes. No two attempts share a file. */
export function logFile(turn: AgentTurn, attempt: number): string {
  const { place, runId, stepId, key } = turn;
  const part = key.replace(`${runId}/`, '').replace(/[^A-Za-z0-9._-]+/g, '-');
  const again = attempt > 1 ? `-attempt-${attempt}` : '';
  return join(place.workerDir, 'logs', runId, `${stepId}-${part}${again}.log`);
}

/** Begins a log. The first line is ours: what was said to the agent. No backend takes it for an event of its own. */
export async function openLog(
  turn: AgentTurn,
  attempt: number,
  more: Record<string, unknown>,
): Promise<string> {
  const log = logFile(turn, attempt);
  const line = {
    type: 'iteration_start',
    iteration: turn.iteration,
    purpose: turn.purpose,
    agent: turn.agent,
    session_id: turn.sessionId,
    max_turns: turn.limits.maxTurns,
    attempt,
    timestamp: new Date().toISOString(),
    ...more,
  };
  await mkdir(dirname(log), { recursive: true });
  await writeFile(log, `${JSON.stringify(line)}\n`, { flag: 'wx' });
  return log;
}
