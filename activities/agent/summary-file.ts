import { mkdir, readdir } from 'node:fs/promises';
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
 * and that the task has one: of the newest loop that changed something. What an agent wrote there is left.
 */
export async function closeSummaries(loop: {
  place: RunPlace;
  step: string;
  runId: string;
  lastIteration: number;
  readonly: boolean;
}): Promise<void> {
  const { place, step, runId, lastIteration } = loop;
  const file = summaryFile(place, runId, step, lastIteration);
  if ((await plainFileSize(file)) === undefined) {
    const checkpoint = await readCheckpoint(place, runId, lastIteration);
    await write(file, checkpoint?.prose_summary ?? '', (heading) => known(checkpoint, heading));
  }
  const text = await readPlainFile(file);
  if (text === undefined) return;
  const ofTask = join(place.workerDir, 'summaries', 'summary.txt');
  if (await createFile(ofTask, text, 0o600)) return;
  if (!loop.readonly && (await isCopy(place, await readPlainFile(ofTask))))
    await writeDurably(ofTask, text);
}

/** Whether a text is the summary of an iteration: then we put it there ourselves. */
async function isCopy({ workerDir }: RunPlace, text: string | undefined): Promise<boolean> {
  if (text === undefined) return false;
  const folder = join(workerDir, 'summaries');
  const names = await readdir(folder, { recursive: true });
  for (const name of names.filter((each) => each.endsWith('-summary.txt')))
    if ((await readPlainFile(join(folder, name))) === text) return true;
  return false;
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
