import { countStates, type BoardView, type TaskState, type TaskView } from '../board-view.ts';
import { counted, dollars, duration, usageText } from './amounts.ts';
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
  paused: 33,
  'needs-you': 33,
  done: 32,
  failed: 31,
  'not-planned': 90,
};

const WORDS: Record<TaskState, string> = {
  pending: 'pending',
  running: 'running',
  paused: 'paused',
  'needs-you': 'needs you',
  done: 'done',
  failed: 'failed',
  'not-planned': 'not planned',
};

const TELLING: readonly TaskState[] = [
  'running',
  'needs-you',
  'paused',
  'failed',
  'pending',
  'done',
  'not-planned',
];

const WIDEST_PLACE = 24;
const NAMED = 3;
/** How a task's workflow tells its round: `execution · iteration 3 of 20 · 41 turns`. */
const ITERATION = /iteration \d+ of (\d+)/;

/** One line per task: marker, id, state, where it is, how long, what it cost, and why. */
export function boardLines(view: BoardView, drawing: Drawing): string[] {
  const rows = view.tasks.map((task) => ({ task, cells: cellsOf(task, drawing.now) }));
  // A column is as wide as its widest cell, and absent when all of them are empty.
  const widths = [0, 1, 2, 3, 4, 5].map((column) =>
    Math.max(0, ...rows.map(({ cells }) => widthOf(cells[column] ?? ''))),
  );
  return rows.map(({ task, cells }) => {
    const left = cells
      .map((cell, column) => aligned(cell, widths[column] ?? 0, column))
      .filter((cell) => cell !== '')
      .join(' ');
    const line = cut(`${left}  ${story(task)}`, drawing.columns).trimEnd();
    return drawing.colour ? `\u001b[${COLOURS[task.state]}m${line}\u001b[0m` : line;
  });
}

/** Leaves out what moves least when not all tasks fit; the order of the board stays. */
export function mostTelling(tasks: readonly TaskView[], room: number): TaskView[] {
  if (tasks.length <= room) return [...tasks];
  const order = TELLING.flatMap((state) => tasks.filter((task) => task.state === state));
  const kept = new Set(order.slice(0, Math.max(0, room)));
  return tasks.filter((task) => kept.has(task));
}

/** What a person reads at the end or below the table. */
export function summaryLine(view: BoardView): string {
  if (view.sweeping && view.tasks.length === 0) return 'the board is being read';
  const counts = countStates(view.tasks);
  const parts = (['done', 'needs-you', 'failed', 'running', 'paused', 'pending'] as const)
    .filter((state) => counts[state] > 0)
    .map(
      (state) =>
        `${counts[state]} ${state === 'needs-you' ? wanting(counts[state]) : WORDS[state]}`,
    );
  const cost =
    view.usage?.costUsd ?? view.tasks.reduce((sum, task) => sum + (task.costUsd ?? 0), 0);
  const money = cost > 0 ? ` · ${dollars(cost)}` : '';
  return `${counted(view.tasks.length, 'task')}: ${parts.join(', ') || 'nothing to do'}${money}`;
}

/** What all task runs of the project used together; nothing when no agent has worked yet. */
export function totalLines({ usage }: BoardView): string[] {
  return usage && (usage.turns > 0 || usage.costUsd > 0) ? [`total: ${usageText(usage)}`] : [];
}

/** What a person can do about tasks that do not go on by themselves; nothing when there are none. */
export function wayOnLines({ tasks }: BoardView): string[] {
  const of = (state: TaskState) => tasks.filter((task) => task.state === state);
  const failed = of('failed');
  const waiting = of('needs-you').filter(({ pullRequest }) => pullRequest !== undefined);
  const merge = ({ id }: TaskView) => `\`wiggum pr view ${id}\`, then \`wiggum pr merge ${id}\``;
  const retry = ({ id }: TaskView) =>
    `\`wiggum logs ${id}\` tells more; \`wiggum worker restart ${id}\` goes on in its workspace, \`worker start\` begins anew`;
  return [...wayOn('to merge', waiting, merge), ...wayOn('failed', failed, retry)];
}

/** What is wrong on the board, with the line to look at. */
export function problemLines(view: Pick<BoardView, 'problems' | 'cycles'>): string[] {
  return [
    ...view.problems.map(({ line, message }) => `kanban.md:${line}: ${printable(message)}`),
    ...view.cycles.map((members) =>
      members.length === 1
        ? `circular dependencies: ${printable(members[0] ?? '')} depends on itself`
        : `circular dependencies: ${members.map(printable).join(' → ')}`,
    ),
  ];
}

/** A task in one line without columns, for logs and pipes. */
export function plainTaskLine(task: TaskView, now: number): string {
  const [marker = '', id = '', ...facts] = cellsOf(task, now);
  return `${marker} ${id} ${[...facts, why(task)].filter(Boolean).join(' · ')}`;
}

function cellsOf(task: TaskView, now: number): string[] {
  return [
    `[${task.marker}]`,
    printable(task.id),
    WORDS[task.state],
    place(task),
    task.open && task.startedAt ? duration(now - Date.parse(task.startedAt)) : '',
    task.costUsd ? dollars(task.costUsd) : '',
  ];
}

function aligned(cell: string, width: number, column: number): string {
  // Amounts stand to the right.
  return column > 3 ? cell.padStart(width) : fit(cell, width);
}

function place({ step, iteration, why: told }: TaskView): string {
  if (!step) return '';
  const limit = ITERATION.exec(told)?.[1];
  const round = iteration === undefined ? '' : ` ${iteration + 1}${limit ? `/${limit}` : ''}`;
  return cut(printable(step), WIDEST_PLACE - round.length) + round;
}

function story(task: TaskView): string {
  const title = printable(task.title);
  const reason = why(task);
  return reason ? `${reason} · ${title}` : title;
}

/** The reason without what the columns before it say already. */
function why({ why: told, step, workerDir }: TaskView): string {
  // A line has no room for whole paths; `inspect worker` tells them.
  const text = printable(workerDir ? told.replaceAll(`${workerDir}/`, '') : told);
  const [first, ...rest] = text.split(' · ');
  if (!step || first !== step) return text;
  return rest.filter((part) => !ITERATION.test(part)).join(' · ');
}

function wanting(count: number): string {
  return count === 1 ? 'waits for you' : 'wait for you';
}

/** Names the first few tasks, and the commands for the first of them. */
function wayOn(
  what: string,
  tasks: readonly TaskView[],
  commands: (task: TaskView) => string,
): string[] {
  const [first] = tasks;
  if (!first) return [];
  if (tasks.length === 1) return [`  ${what}: ${commands(first)}`];
  const names = tasks.slice(0, NAMED).map(({ id }) => printable(id));
  const more = tasks.length > NAMED ? ` and ${tasks.length - NAMED} more` : '';
  return [`  ${what}: ${names.join(', ')}${more}`, `    ${commands(first)}`];
}
