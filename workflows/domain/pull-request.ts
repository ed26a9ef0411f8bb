import type { StepRecord } from './task.ts';

/** A pull request as the forge keeps it; the text lies beside it in a file. */
export interface PullRequest {
  number: number;
  taskId: string;
  epoch: number;
  /** `<ID>: <title>` */
  title: string;
  branch: string;
  target: string;
  /** Commit at the tip of the branch. */
  head: string;
  base: string;
  state: 'open' | 'merged' | 'closed';
  /** Commit on the target branch that brought it in. */
  mergedAs?: string;
  /** Where a person can read it. */
  url: string;
}

/** The title of a task's pull request and of its commit on the target branch. */
export function pullRequestTitle(taskId: string, title: string): string {
  const line = title.replace(/[\r\n]+/g, ' ').trim();
  return line.startsWith(`${taskId}:`) ? line : `${taskId}: ${line}`;
}

export interface Description {
  /** The requirements document, with the items that the agents ticked. */
  prd: string;
  commits: readonly { id: string; subject: string }[];
  changes: { files: number; insertions: number; deletions: number };
  steps: readonly StepRecord[];
}

/** Writes what a reviewer reads: what was asked, what was done, by whom, at what cost. */
export function renderDescription({ prd, commits, changes, steps }: Description): string {
  const { files, insertions, deletions } = changes;
  const sections = [
    prd.trimEnd(),
    [
      '## Changelog',
      '',
      ...commits.map(({ id, subject }) => `- ${subject} (${id.slice(0, SHORT_ID)})`),
      '',
      `${count(files, 'file')} changed, ${count(insertions, 'line')} added, ${count(deletions, 'line')} removed.`,
    ].join('\n'),
    steps.length > 0 ? stepTable(steps) : '',
    metrics(steps),
  ];
  return `${sections.filter(Boolean).join('\n\n')}\n`;
}

const SHORT_ID = 10;

function stepTable(steps: readonly StepRecord[]): string {
  const rows = steps.map(
    ({ step, agent, visit, result, iterations, seconds, costUsd }) =>
      `| ${step}${visit > 1 ? ` (visit ${visit})` : ''} | ${agent} | ${result} | ${iterations} | ${duration(seconds)} | ${dollars(costUsd)} |`,
  );
  return [
    '## Steps',
    '',
    '| Step | Agent | Result | Iterations | Time | Cost |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function metrics(steps: readonly StepRecord[]): string {
  const sum = (of: (step: StepRecord) => number) =>
    steps.reduce((total, step) => total + of(step), 0);
  return [
    '## Metrics',
    '',
    `- Time: ${duration(sum((step) => step.seconds))}`,
    `- Agent runs: ${steps.length}, ${count(
      sum((step) => step.iterations),
      'iteration',
    )}, ${count(
      sum((step) => step.turns),
      'turn',
    )}`,
    `- Cost: ${dollars(sum((step) => step.costUsd))}`,
  ].join('\n');
}

function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function dollars(amount: number): string {
  return `$${amount.toFixed(2)}`;
}

function count(amount: number, thing: string): string {
  return `${amount} ${thing}${amount === 1 ? '' : 's'}`;
}
