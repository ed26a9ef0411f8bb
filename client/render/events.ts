import type { LoggedEvent } from '../event-log.ts';
import { cut, printable } from './text.ts';

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
    const words = Object.entries(said).map(
      ([name, value]) => `${printable(name)}=${printable(textOf(value))}`,
    );
    const line = `${time}  ${task}${printable(event).padEnd(width)}  ${words.join(' ')}`;
    return cut(line.trimEnd(), columns);
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
