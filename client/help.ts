import { COMMANDS, type RegistryEntry } from './commands/index.ts';

const GROUPS: readonly RegistryEntry['group'][] = ['Every day', 'Tasks', 'Board', 'Machine'];

/** What `wiggum --help` prints: the three commands of a first day on top, then all of them. */
export function helpText(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const groups = GROUPS.flatMap((group) => [
    '',
    `${group}:`,
    ...Object.entries(COMMANDS)
      .filter(([, entry]) => entry.group === group)
      .map(([name, entry]) => `  ${name.padEnd(width)}  ${entry.summary}`),
  ]);
  return `${[
    'Chief Wiggum: a board of tasks goes in, merged changes come out.',
    '',
    'Usage: wiggum <command> [options]',
    '',
    'Start here:',
    '  wiggum init      writes .ralph/kanban.md, a board to fill in',
    '  wiggum run       works it off; Ctrl-C pauses, the next run goes on',
    '  wiggum status    shows where each task stands',
    ...groups,
    '',
    'Anywhere on the line:',
    '  -v, -vv, -vvv    say more (also WIGGUM_LOG_LEVEL=debug)',
    '  -q, --quiet      say only warnings and errors',
    '  -h, --help       help, also for one command: wiggum run --help',
    '  --version        the version of this program',
  ].join('\n')}\n`;
}

/** The command that somebody probably meant. */
export function closestCommand(word: string): string | undefined {
  const ranked = Object.keys(COMMANDS)
    .map((name) => ({ name, distance: editDistance(word.toLowerCase(), name) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best && best.distance <= Math.max(1, Math.floor(word.length / 2)) ? best.name : undefined;
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
