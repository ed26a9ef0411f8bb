import type { BoardProblem, Card, Marker, Priority } from './board.ts';

/** What a sweep was started with; kept for its whole life, so that every host acts alike. */
export interface SweepSettings {
  maxWorkers: number;
  /** Merge a pull request as soon as it is there, without asking a person. */
  autoMerge: boolean;
  /** Pipeline name for all tasks; without it task, project and default files decide. */
  pipeline?: string;
  backend: string;
  /** Scenario file of the `script` backend. */
  script?: string;
  /** `WIGGUM_*` variables of the starting command: limits and `enabled_by` switches. */
  environment: Readonly<Record<string, string>>;
}

/** An order to run one task, whatever the schedule says. */
export interface StartOrder {
  id: string;
  settings: SweepSettings;
  /** Pipeline step to begin at. */
  from?: string;
  /** An earlier run to go on with, in its workspace; without one the task begins in a new one. */
  epoch?: number;
}

/** Where a task stands, as it tells the board. */
export interface TaskMove {
  task: string;
  epoch: number;
  /** Marker to write; without one only the bookkeeping changes. */
  marker?: Marker;
  /** The task waits for a person: it holds no worker and does not keep the sweep open. */
  needsHuman: boolean;
  /** The workflow of the task is about to close. */
  ended: boolean;
  reason?: string;
}

/** A task whose workflow is open. */
export interface OpenTask {
  epoch: number;
  /** Occupies one of the workers. */
  working: boolean;
  needsHuman: boolean;
}

export interface BoardSnapshot {
  hash: string;
  cards: Card[];
  archived: string[];
  problems: BoardProblem[];
}

/** One row of `wiggum status`, as the board knows it. */
export interface CardStatus {
  id: string;
  title: string;
  marker: Marker;
  priority: Priority;
  line: number;
  open: boolean;
  why: string;
}

export interface BoardStatus {
  sweeping: boolean;
  settings: SweepSettings;
  cards: CardStatus[];
  cycles: string[][];
  problems: BoardProblem[];
}

/** Whether two sweeps would act alike; `run` refuses to join one that does not. */
export function differingSettings(running: SweepSettings, wanted: SweepSettings): string[] {
  const names: [Exclude<keyof SweepSettings, 'environment'>, string][] = [
    ['maxWorkers', '--max-workers'],
    ['autoMerge', '--auto-merge'],
    ['pipeline', '--pipeline'],
    ['backend', '--backend'],
    ['script', '--script'],
  ];
  return names
    .filter(([key]) => running[key] !== wanted[key])
    .map(
      ([key, flag]) =>
        `it has ${spelled(flag, running[key])}, you ask for ${spelled(flag, wanted[key])}`,
    );
}

function spelled(flag: string, value: string | number | boolean | undefined): string {
  if (value === undefined || value === false) return `no ${flag}`;
  return value === true ? flag : `${flag} ${value}`;
}
