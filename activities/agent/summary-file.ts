import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFile } from '../../config/create-file.ts';
import { plainFileSize, readPlainFile } from '../../config/plain-file.ts';
import type { AgentTurn, RunPlace } from '../../workflows/domain/agent.ts';
import { writeDurably } from '../durable-file.ts';
import { readCheckpoint, type Checkpoint } from './checkpoint-record.ts';
import { SUMMARY_HEADINGS } from './prompt.ts';
import type { SummaryHeading } from './summary-sections.ts';

/** Keeps what an agent said of an iteration. The next one reads this file by its name: it is there, with its headings, whatever was said. */
export function writeSummary(turn: AgentTurn, said: string): Promise<void> {
  const file = summaryFile(turn.place, turn.runId, turn.stepId, turn.iteration);
  return write(file, said, () => []);
}

/**
 * Sees to it that the last iteration of a loop has its summary too, without asking the model again,
 * and that the task has one. A summary of the task that is there is left: an agent may have written it.
 */
export async function closeSummaries(loop: {
  place: RunPlace;
  step: string;
  runId: string;
  lastIteration: number;
}): Promise<void> {
  const { place, step, runId, lastIteration } = loop;
  const file = summaryFile(place, runId, step, lastIteration);
  if ((await plainFileSize(file)) === undefined) {
    const checkpoint = await readCheckpoint(place, runId, lastIteration);
    await write(file, checkpoint?.prose_summary ?? '', (heading) => known(checkpoint, heading));
  }
  const text = await readPlainFile(file);
  if (text !== undefined)
    await createFile(join(place.workerDir, 'summaries', 'summary.txt'), text, 0o600);
}

async function write(
  file: string,
  said: string,
  points: (heading: SummaryHeading) => readonly string[],
): Promise<void> {
  const missing = SUMMARY_HEADINGS.filter((heading) => !said.includes(heading));
  const sections = missing.map((heading) => {
    const list = points(heading).map((point) => `- ${point}`);
    return `## ${heading}\n\n${list.join('\n') || 'Not said.'}`;
  });
  await mkdir(dirname(file), { recursive: true });
  await writeDurably(file, `${[said.trim(), ...sections].filter(Boolean).join('\n\n')}\n`);
}

function known(checkpoint: Checkpoint | undefined, heading: SummaryHeading): readonly string[] {
  switch (heading) {
    case 'Completed':
      return checkpoint?.completed_tasks ?? [];
    case 'Next Steps':
      return checkpoint?.next_steps ?? [];
    case 'In Progress':
    case 'Blocked':
      return [];
  }
}

function summaryFile(place: RunPlace, runId: string, step: string, iteration: number): string {
  return join(place.workerDir, 'summaries', runId, `${step}-${iteration}-summary.txt`);
}
