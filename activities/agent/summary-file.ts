import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentTurn, RunPlace } from '../../workflows/domain/agent.ts';
import { writeDurably } from '../durable-file.ts';
import { SUMMARY_HEADINGS } from './prompt.ts';

/** Keeps what an agent said of an iteration. The next one reads this file by its name: it is there, with its headings, whatever was said. */
export async function writeSummary(turn: AgentTurn, said: string): Promise<void> {
  const file = summaryFile(turn.place, turn.runId, turn.stepId, turn.iteration);
  const missing = SUMMARY_HEADINGS.filter((heading) => !said.includes(heading));
  const parts = [said.trim(), ...missing.map((heading) => `## ${heading}\n\nNot said.`)];
  await mkdir(dirname(file), { recursive: true });
  await writeDurably(file, `${parts.filter(Boolean).join('\n\n')}\n`);
}

function summaryFile(place: RunPlace, runId: string, step: string, iteration: number): string {
  return join(place.workerDir, 'summaries', runId, `${step}-${iteration}-summary.txt`);
}
