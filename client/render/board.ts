import { countStates, type BoardView, type TaskState, type TaskView } from '../board-view.ts';
import { counted, dollars, duration } from './amounts.ts';
import { cut, fit, printable, widthOf } from './text.ts';

/** How a board is drawn: the clock and the terminal are the caller's. */
export interface Drawing {
  now: number;
  columns: number;
  colour: boolean;
}

const COLOURS: Record<TaskState, number> = {
  pending: 90,
  running: 36,
  'needs-you': 33,
  done: 32,
  failed: 31,
  'not-planned': 90,
};

const WORDS: Record<TaskState, string> = {
  pending: 'pending',
  running: 'running',
  'needs-you': 'needs you',
  done: 'done',
  failed: 'failed',
  'not-planned': 'not planned',
};

/** One line per task: marker, id, state, where it is, how long, what it cost, and why. */
export function boardLines(view: BoardView, drawing: Drawing): string[] {
  const idWidth = Math.max(2, ...view.tasks.map((task) => task.id.length));
  return view.tasks.map((task) => taskLine(task, idWidth, drawing));
}

/** What a person reads at the end or below the table. */
export function summaryLine(view: BoardView): string {
  const counts = countStates(view.tasks);
  const parts = (['done', 'needs-you', 'failed', 'running', 'pending'] as const)
    .filter((state) => counts[state] > 0)
    .map(
      (state) =>
        `${counts[state]} ${state === 'needs-you' ? wanting(counts[state]) : WORDS[state]}`,
    );
  const cost = view.tasks.reduce((sum, task) => sum + (task.costUsd ?? 0), 0);
  const money = cost > 0 ? ` · ${dollars(cost)}` : '';
  return `${counted(view.tasks.length, 'task')}: ${parts.join(', ') || 'nothing to do'}${money}`;
}

/** What is wrong on the board, with the line to look at. */
export function problemLines(view: BoardView): string[] {
  return [
    ...view.problems.map(({ line, message }) => `kanban.md:${line}: ${printable(message)}`),
    ...view.cycles.map((members) => `circular dependencies: ${members.join(' → ')}`),
  ];
}

/** A task in one line without columns, for logs and pipes. */
export function plainTaskLine(task: TaskView): string {
  const facts = [WORDS[task.state], place(task), printable(task.why)].filter(Boolean).join(' · ');
  return `[${task.marker}] ${task.id} ${facts}`;
}

function taskLine(task: TaskView, idWidth: number, { now, columns, colour }: Drawing): string {
  const elapsed = task.open && task.startedAt ? duration(now - Date.parse(task.startedAt)) : '';
  const cost = task.costUsd ? dollars(task.costUsd) : '';
  const left = [
    `[${task.marker}]`,
    fit(task.id, idWidth),
    fit(WORDS[task.state], 11),
    fit(place(task), 24),
    elapsed.padStart(7),
    cost.padStart(7),
  ].join(' ');
  const title = printable(task.title);
  const why = printable(task.why);
  const line = cut(`${left}  ${why ? `${why} · ${title}` : title}`, columns);
  const padded = widthOf(line) > 0 ? line.trimEnd() : line;
  return colour ? `\u001b[${COLOURS[task.state]}m${padded}\u001b[0m` : padded;
}

function place(task: TaskView): string {
  if (!task.open || !task.step) return '';
  return task.iteration === undefined ? task.step : `${task.step} #${task.iteration + 1}`;
}

function wanting(count: number): string {
  return count === 1 ? 'waits for you' : 'wait for you';
}
