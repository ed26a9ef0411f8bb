import path from 'node:path';
import type { RunPlace } from '../workflows/domain/agent.ts';
import type { StepRecord } from '../workflows/domain/task.ts';

/** Says in the worker folder why its task failed. */
export const FAILURE_FILE = 'failure.md';

/** What there is to say about a task run that failed. */
export interface FailedRun {
  place: RunPlace;
  branch: string;
  title: string;
  reason: string;
  steps: readonly StepRecord[];
}

/** The text for people: what happened, where to look, what to do next. */
export function renderFailure({ place, branch, title, reason, steps }: FailedRun): string {
  const { taskId, epoch, workerDir, workspace } = place;
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
    `- Requirements with what was ticked: ${path.join(workerDir, 'prd.md')}`,
    `- Logs of the agents and checks: ${path.join(workerDir, 'logs')}`,
    `- Results and reports: ${path.join(workerDir, 'results')}, ${path.join(workerDir, 'reports')}`,
    `- The work so far, on branch ${branch}: ${workspace}`,
    '',
    '## What to do next',
    '',
    `- \`wiggum worker restart ${taskId}\` goes on in the same workspace; \`--from STEP\` chooses where.`,
    `- Or change the task on the board and set its marker to \`[ ]\`: it begins afresh.`,
    '',
  ].join('\n');
}

/** The reason in such a text: its first quoted paragraph; undefined when there is none. */
export function parseFailure(text: string): string | undefined {
  const lines = text.split('\n');
  const from = lines.findIndex(isQuoted);
  if (from === -1) return undefined;
  const end = lines.findIndex((line, at) => at > from && !isQuoted(line));
  const quoted = lines.slice(from, end === -1 ? undefined : end);
  const reason = quoted.map((line) => line.replace(/^> ?/, '')).join('\n');
  return reason.trim() || undefined;
}

function stepLines(steps: readonly StepRecord[]): string[] {
  return steps.map(
    ({ step, agent, visit, result, iterations, seconds }) =>
      `- ${step}${visit > 1 ? ` (visit ${visit})` : ''}: ${result} from ${agent} after ${iterations} ${iterations === 1 ? 'iteration' : 'iterations'}, ${Math.round(seconds)} s`,
  );
}

function isQuoted(line: string): boolean {
  return line.startsWith('>');
}
