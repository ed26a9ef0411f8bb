import type { GateResult } from './steps.ts';

/** What an agent run has behind it. */
export interface LoopState {
  /** The iteration that works or worked last, from 0. */
  iteration: number;
  /** Iterations of earlier rounds, which a supervisor had begin anew. */
  earlierIterations: number;
  /** Failed work turns in a row of a session that is tried again. */
  failures: number;
  /** Sessions that failed within FAST_SECONDS since one last worked. */
  fastFailures: number;
  /** The work of this iteration failed; its summary is still to come. */
  workFailed: boolean;
  /** Iterations in a row of which both work and summary failed. */
  failedPairs: number;
  /** The time of the run is used up: only its result may still be asked for. */
  timedOut: boolean;
  /** Turns in a row for which the model could not be reached. */
  retries: number;
  /** Sessions in a row that were not there any more. */
  lostSessions: number;
  /** How often a supervisor had the loop begin anew. */
  restarts: number;
  /** A supervisor ended the loop: only its result may still be asked for. */
  stopped: boolean;
  /** What the supervisor last said, word for word. */
  guidance: string;
  /** The last result that words or status file of the agent gave. */
  lastResult: GateResult | undefined;
}

export type NextTurn =
  /** Work on in the same session, or begin a new one; `anew` is the first iteration of a new run. */
  | { kind: 'work'; iteration: number; session: 'same' | 'new'; anew?: true }
  | { kind: 'summary' }
  | { kind: 'ask-result' }
  | { kind: 'supervise' }
  /** Not the task's fault: wait, then go on in the same session, nothing counted. */
  | Wait
  | { kind: 'end'; result: GateResult; why: EndReason; detail?: string };

export interface Wait {
  kind: 'wait';
  what: 'usage limit' | 'login' | 'outage';
  /** How long; without it, and without a time, as long as seems fit. */
  seconds?: number;
  until?: string;
  reason: string;
}

export type EndReason =
  | 'result'
  | 'completed'
  | 'no-result'
  | 'max-iterations'
  | 'timeout'
  | 'fast-fail'
  | 'backend-failures'
  | 'supervisor-stop'
  | 'restart-limit'
  | 'broken';

export interface Decided {
  state: LoopState;
  next: NextTurn;
}

export const FRESH_LOOP: LoopState = {
  iteration: 0,
  earlierIterations: 0,
  failures: 0,
  fastFailures: 0,
  workFailed: false,
  failedPairs: 0,
  timedOut: false,
  retries: 0,
  lostSessions: 0,
  restarts: 0,
  stopped: false,
  guidance: '',
  lastResult: undefined,
};

/** Ends a loop. */
export function ended(
  state: LoopState,
  result: GateResult,
  why: EndReason,
  detail?: string,
): Decided {
  return { state, next: { kind: 'end', result, why, ...(detail && { detail }) } };
}
