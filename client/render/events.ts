import type { LoggedEvent } from '../event-log.ts';
import { cut, printable } from './text.ts';

const BARE: readonly string[] = ['step_id', 'result', 'outcome', 'reason', 'message'];
const HIDDEN: readonly string[] = ['run_id', 'session_id'];

/** One line per event: when, which task, what, and what it says. */
export function eventLines(
  events: readonly LoggedEvent[],
  { columns, withTask }: { columns: number; withTask: boolean },
): string[] {
  const width = Math.max(0, ...events.map(({ event }) => event.length));
  const tasks = Math.max(0, ...events.map(({ task_id }) => (task_id ?? '').length));
  return events.map(({ ts, event, task_id, worker_id: _, key: _key, ...said }) => {
    const time = printable(ts)
      .replace('T', ' ')
      .replace(/\.\d+Z$/, 'Z');
    const task = withTask ? `${printable(task_id ?? '').padEnd(tasks)}  ` : '';
    const words = wordsOf(said);
    const line = `${time}  ${task}${printable(event).padEnd(width)}  ${words.join(' ')}`;
    return cut(line.trimEnd(), columns);
  });
}

/** The telling values first and bare, then the others by name; ids of runs and sessions are for programs. */
function wordsOf(said: Readonly<Record<string, unknown>>): string[] {
  const bare = BARE.filter((name) => name in said).map((name) => textOf(said[name]));
  const others = Object.entries(said)
    .filter(([name]) => !BARE.includes(name) && !HIDDEN.includes(name))
    .map(([name, value]) => `${printable(name)}=${textOf(value)}`);
  return [...bare, ...others];
}

function textOf(value: unknown): string {
  return printable(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}
