import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import type { StepRecord } from '../../workflows/domain/task.ts';
import type { TaskInput } from '../../workflows/domain/task-input.ts';
import { writeDurably } from '../durable-file.ts';
import { taskBranch } from '../git/run-names.ts';
import { notWritable } from '../not-writable.ts';
import { placeOf } from './run-place.ts';

/** Says in the worker folder why its task failed. */
export const FAILURE_FILE = 'failure.md';

export interface Failure extends TaskInput {
  reason: string;
  steps: readonly StepRecord[];
}

/** Writes the reason file of a failed task: what happened, where to look, what to do next. */
export async function writeFailure(failure: Failure): Promise<void> {
  const place = placeOf(failure);
  try {
    await mkdir(place.workerDir, { recursive: true });
    await writeDurably(path.join(place.workerDir, FAILURE_FILE), render(failure, place));
  } catch (cause) {
    throw notWritable(cause, 'the reason file', place.workerDir);
  }
}

function render({ taskId, title, reason, steps, epoch }: Failure, place: RunPlace): string {
  const cost = steps.reduce((sum, step) => sum + step.costUsd, 0);
  return [
    `# ${taskId} failed: ${title}`,
    '',
    ...reason
      .trim()
      .split('\n')
      .map((line) => `> ${line}`),
    '',
    `Started ${new Date(epoch * 1000).toISOString()}, $${cost.toFixed(2)} spent.`,
    '',
    '## Steps',
    '',
    ...(steps.length === 0 ? ['No step was finished.'] : stepLines(steps)),
    '',
    '## Where to look',
    '',
    `- Requirements with what was ticked: ${path.join(place.workerDir, 'prd.md')}`,
    `- Logs of the agents and checks: ${path.join(place.workerDir, 'logs')}`,
    `- Results and reports: ${path.join(place.workerDir, 'results')}, ${path.join(place.workerDir, 'reports')}`,
    `- The work so far, on branch ${taskBranch(place)}: ${place.workspace}`,
    '',
    '## What to do next',
    '',
    `- \`wiggum worker restart ${taskId}\` goes on in the same workspace; \`--from STEP\` chooses where.`,
    `- Or change the task on the board and set its marker to \`[ ]\`: it begins afresh.`,
    '',
  ].join('\n');
}

function stepLines(steps: readonly StepRecord[]): string[] {
  return steps.map(
    ({ step, agent, visit, result, iterations, seconds }) =>
      `- ${step}${visit > 1 ? ` (visit ${visit})` : ''}: ${result} from ${agent} after ${iterations} ${iterations === 1 ? 'iteration' : 'iterations'}, ${Math.round(seconds)} s`,
  );
}
