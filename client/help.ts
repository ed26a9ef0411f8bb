import { nearestName } from '../config/nearest-name.ts';
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
  return nearestName(word, Object.keys(COMMANDS));
}
