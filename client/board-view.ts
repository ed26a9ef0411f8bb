import type { BoardProblem, Card, Marker, Priority } from '../workflows/domain/board.ts';
import type { LifecycleState } from '../workflows/domain/lifecycle.ts';
import type { BoardStatus, CardStatus } from '../workflows/domain/sweep.ts';
import type { StepRecord, TaskStatus } from '../workflows/domain/task.ts';
import type { Usage } from '../workflows/domain/usage.ts';

/** `paused`: in progress, but no process works on it at this moment. */
export type TaskState =
  'pending' | 'running' | 'paused' | 'needs-you' | 'done' | 'failed' | 'not-planned';

/** One task as people see it: the board's row, with what its workflow adds while there is one. */
export interface TaskView extends Partial<Usage> {
  id: string;
  title: string;
  marker: Marker;
  priority: Priority;
  line: number;
  state: TaskState;
  /** Null between steps and when nothing runs: programs find the key in every row. */
  step: string | null;
  why: string;
  open: boolean;
  needsHuman: boolean;
  lifecycle?: LifecycleState;
  iteration?: number;
  visit?: number;
  startedAt?: string;
  branch?: string;
  pullRequest?: number;
  workerDir?: string;
  sessionId?: string;
  steps?: StepRecord[];
  mergeWaits?: TaskStatus['mergeWaits'];
  outOfIterations?: boolean;
}

export interface BoardView {
  sweeping: boolean;
  tasks: TaskView[];
  cycles: string[][];
  problems: BoardProblem[];
  /** Of all task runs of the project, those that have ended too. */
  usage?: Usage;
}

/** A card with what the files around the board tell of it. */
export interface CardOnFile extends Omit<Card, 'hasPlan' | 'dependencies'> {
  why: string;
  /** A workflow of it is open, though nobody serves it now. */
  open: boolean;
  step?: string;
  pullRequest?: number;
  workerDir?: string;
}

/** What was found out about a task beside its row. */
export interface TaskAnswers {
  status?: TaskStatus | undefined;
  /** What the server says of work that does not come to its end. */
  heldUp?: string | undefined;
}

/** Puts the board's rows and what is known of the tasks together. */
export function viewOf(board: BoardStatus, known: ReadonlyMap<string, TaskAnswers>): BoardView {
  return {
    sweeping: board.sweeping,
    tasks: board.cards.map((card) => {
      const { status, heldUp } = known.get(card.id) ?? {};
      const view = taskView(card, status);
      if (!card.open || heldUp === undefined) return view;
      return { ...view, why: view.why ? `${view.why} · ${heldUp}` : heldUp };
    }),
    cycles: board.cycles,
    problems: board.problems,
  };
}

/** The view of a board that only its files tell about: nothing moves in it. */
export function viewOfFile(
  cards: readonly CardOnFile[],
  { problems, cycles }: Pick<BoardView, 'problems' | 'cycles'>,
): BoardView {
  const tasks = cards.map(({ step, pullRequest, workerDir, ...card }): TaskView => ({
    ...taskView(card, undefined),
    ...(card.marker === '=' && { state: 'paused' as const }),
    step: step ?? null,
    ...(pullRequest !== undefined && { pullRequest }),
    ...(workerDir !== undefined && { workerDir }),
  }));
  return { sweeping: false, tasks, cycles, problems };
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
    state: stateOf(marker, { needsHuman, moves: open || status?.state === 'merged' }),
    step: null,
    why: (open ? status?.why : undefined) || card.why,
    open,
    needsHuman,
  };
  if (!status) return row;
  const { task: _task, title: _title, epoch: _epoch, needsHuman: _, ...own } = status;
  const { state: lifecycle, why, step, ...facts } = own;
  return { ...row, why: row.why || why, lifecycle, step: (open && step) || null, ...facts };
}

/** How many tasks are in each state. */
export function countStates(tasks: readonly TaskView[]): Record<TaskState, number> {
  const counts: Record<TaskState, number> = {
    pending: 0,
    running: 0,
    paused: 0,
    'needs-you': 0,
    done: 0,
    failed: 0,
    'not-planned': 0,
  };
  for (const task of tasks) counts[task.state] += 1;
  return counts;
}

function stateOf(
  marker: Marker,
  { needsHuman, moves }: { needsHuman: boolean; moves: boolean },
): TaskState {
  switch (marker) {
    case ' ':
      return 'pending';
    case '=':
      return needsHuman ? 'needs-you' : 'running';
    case 'P':
      // While it is merged, and until the board says so, it needs nobody.
      return moves && !needsHuman ? 'running' : 'needs-you';
    case 'x':
      return 'done';
    case '*':
      return 'failed';
    case 'N':
      return 'not-planned';
  }
}
