import type { BoardProblem, Card, Marker, Priority } from '../workflows/domain/board.ts';
import type { LifecycleState } from '../workflows/domain/lifecycle.ts';
import type { BoardStatus, CardStatus } from '../workflows/domain/sweep.ts';
import type { StepRecord, TaskStatus } from '../workflows/domain/task.ts';

export type TaskState = 'pending' | 'running' | 'needs-you' | 'done' | 'failed' | 'not-planned';

/** One task as people see it: the board's row, with what its workflow adds while there is one. */
export interface TaskView {
  id: string;
  title: string;
  marker: Marker;
  priority: Priority;
  line: number;
  state: TaskState;
  open: boolean;
  why: string;
  needsHuman: boolean;
  lifecycle?: LifecycleState;
  step?: string;
  iteration?: number;
  visit?: number;
  startedAt?: string;
  costUsd?: number;
  turns?: number;
  branch?: string;
  pullRequest?: number;
  workerDir?: string;
  sessionId?: string;
  steps?: StepRecord[];
}

export interface BoardView {
  sweeping: boolean;
  tasks: TaskView[];
  cycles: string[][];
  problems: BoardProblem[];
}

/** Puts the board's rows and the tasks' own answers together. */
export function viewOf(board: BoardStatus, statuses: ReadonlyMap<string, TaskStatus>): BoardView {
  return {
    sweeping: board.sweeping,
    tasks: board.cards.map((card) => taskView(card, statuses.get(card.id))),
    cycles: board.cycles,
    problems: board.problems,
  };
}

/** The view of a board that only its file tells about. */
export function viewOfFile(
  cards: readonly (Omit<Card, 'hasPlan'> & { why?: string })[],
  problems: BoardProblem[],
): BoardView {
  const tasks = cards.map((card) =>
    taskView({ ...card, open: false, why: card.why ?? '' }, undefined),
  );
  return { sweeping: false, tasks, cycles: [], problems };
}

/** Joins one row with its workflow's status. */
export function taskView(card: CardStatus, status: TaskStatus | undefined): TaskView {
  const { id, title, marker, priority, line, open } = card;
  const needsHuman = open && (status?.needsHuman ?? marker === 'P');
  const row: TaskView = {
    id,
    title,
    marker,
    priority,
    line,
    state: stateOf(marker, needsHuman),
    open,
    why: (open ? status?.why : undefined) || card.why,
    needsHuman,
  };
  if (!status) return row;
  const { task: _task, title: _title, epoch: _epoch, state, why, needsHuman: _, ...rest } = status;
  return { ...row, why: row.why || why, lifecycle: state, ...rest };
}

/** How many tasks are in each state. */
export function countStates(tasks: readonly TaskView[]): Record<TaskState, number> {
  const counts = { pending: 0, running: 0, 'needs-you': 0, done: 0, failed: 0, 'not-planned': 0 };
  for (const task of tasks) counts[task.state] += 1;
  return counts;
}

function stateOf(marker: Marker, needsHuman: boolean): TaskState {
  switch (marker) {
    case ' ':
      return 'pending';
    case '=':
      return needsHuman ? 'needs-you' : 'running';
    case 'P':
      return 'needs-you';
    case 'x':
      return 'done';
    case '*':
      return 'failed';
    case 'N':
      return 'not-planned';
  }
}
