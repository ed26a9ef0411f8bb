import type { TaskStatus } from './domain/task.ts';

/** What the Temporal UI shows under "Current Details": one heading, one small table. */
export function detailsText(status: TaskStatus): string {
  const rows: [string, string | number | undefined][] = [
    ['step', status.step],
    ['iteration', status.iteration === undefined ? undefined : status.iteration + 1],
    ['branch', status.branch && `\`${status.branch}\``],
    ['pull request', status.pullRequest],
    ['cost', `$${status.costUsd.toFixed(2)} in ${status.turns} turns`],
    ['worker folder', status.workerDir && `\`${status.workerDir}\``],
  ];
  return [
    `### ${status.task}: ${status.title}`,
    '',
    `**${status.state}** · ${status.why}`,
    '',
    '| | |',
    '|---|---|',
    ...rows
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `| ${name} | ${value} |`),
    ...(status.needsHuman ? ['', `> Needs you: ${status.why}`] : []),
  ].join('\n');
}
