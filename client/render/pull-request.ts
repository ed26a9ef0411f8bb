import type { PullRequest } from '../../workflows/domain/pull-request.ts';
import { printable, printableText, widthOf } from './text.ts';

/** One line per pull request: number, task, state, way, title. */
export function pullRequestLines(pullRequests: readonly PullRequest[]): string[] {
  const rows = pullRequests.map(({ number, taskId, state, branch, target, title }) =>
    [`#${number}`, taskId, state, `${branch} → ${target}`, title].map(printable),
  );
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** A pull request as a reviewer reads it: where it goes, what it says, what it changes. */
export function pullRequestText(
  { number, title, state, branch, target, head, mergedAs, taskId }: PullRequest,
  { description, diff }: { description: string; diff: string },
  { colour }: { colour: boolean },
): string {
  const way = `${printable(branch)} (${head.slice(0, 10)}) → ${printable(target)}`;
  const next =
    state === 'open'
      ? `merge it: wiggum pr merge ${printable(taskId)}`
      : mergedAs
        ? `merged as ${mergedAs.slice(0, 10)}`
        : state;
  const changes = printableText(diff).trimEnd();
  const lines = [
    `#${number} ${printable(title)}`,
    way,
    next,
    '',
    printableText(description).trimEnd(),
    '',
    ...(changes === '' ? ['(no changes are recorded)'] : changes.split('\n').map(shade(colour))),
  ];
  return `${lines.join('\n')}\n`;
}

function shade(colour: boolean): (line: string) => string {
  if (!colour) return (line) => line;
  return (line) => {
    const code = line.startsWith('+') ? 32 : line.startsWith('-') ? 31 : undefined;
    return code === undefined ? line : `\u001b[${code}m${line}\u001b[0m`;
  };
}
