/** Status markers of the board: pending, in progress, pull request open, done, failed, not planned. */
export const MARKERS = [' ', '=', 'P', 'x', '*', 'N'] as const;
export type Marker = (typeof MARKERS)[number];

export const PRIORITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const;
export type Priority = (typeof PRIORITIES)[number];

export const TASK_ID = /^[A-Za-z]{2,10}-[0-9]{1,4}$/;

/** What the scheduler knows of a task; small, because it travels through histories. */
export interface Card {
  id: string;
  title: string;
  marker: Marker;
  /** Unknown or missing priorities are read as MEDIUM. */
  priority: Priority;
  dependencies: string[];
  /** 1-based line of the task in the board file. */
  line: number;
  /** `.ralph/plans/<ID>.md` exists. */
  hasPlan: boolean;
}

/** A whole task entry, as its PRD needs it. */
export interface Task extends Omit<Card, 'hasPlan'> {
  description: string;
  complexity?: string;
  scope: string[];
  outOfScope: string[];
  acceptanceCriteria: string[];
}

/** Something wrong on the board, with the line a person must look at. */
export interface BoardProblem {
  line: number;
  message: string;
  /** The task whose entry is affected, when there is one. */
  task?: string;
  /** `notice`: `run` goes on with a default; `validate` still counts it as an error. */
  severity: 'error' | 'notice';
  /** The file as a whole cannot be trusted: nothing is started from it or written to it. */
  blocksBoard?: true;
}

export interface Board {
  tasks: Task[];
  /** Ids archived in done comments: they count as `x`. */
  archived: string[];
  problems: BoardProblem[];
}
