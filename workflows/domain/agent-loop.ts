import type { AgentOutcome, AgentPlan } from './agent.ts';
import type { GateResult } from './steps.ts';

/** What an agent run has behind it. */
export interface LoopState {
  iteration: number;
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
}

export type NextTurn =
  /** Start the next iteration; `again` continues the same session. */
  | { kind: 'work'; iteration: number; again: boolean }
  | { kind: 'summary' }
  | { kind: 'ask-result' }
  /** The account is used up, or nobody is logged in: wait, then go on in the same session, nothing counted. */
  | { kind: 'wait'; what: 'usage limit' | 'login'; until: string | undefined; reason: string }
  | { kind: 'end'; result: GateResult; why: EndReason; detail?: string };

export type EndReason =
  | 'result'
  | 'completed'
  | 'no-result'
  | 'max-iterations'
  | 'timeout'
  | 'fast-fail'
  | 'backend-failures'
  | 'broken';

const MAX_FAILURES = 3;
const MAX_FAST_FAILURES = 3;
const MAX_FAILED_PAIRS = 2;
const FAST_SECONDS = 5;

export const FRESH_LOOP: LoopState = {
  iteration: 0,
  failures: 0,
  fastFailures: 0,
  workFailed: false,
  failedPairs: 0,
  timedOut: false,
};

/** Decides what follows a turn of an agent. `turn` is the turn that just ended. */
export function afterTurn(
  plan: AgentPlan,
  before: LoopState,
  turn: 'work' | 'summary' | 'ask-result',
  outcome: AgentOutcome,
): { state: LoopState; next: NextTurn } {
  if (outcome.kind === 'limit')
    return {
      state: before,
      next: {
        kind: 'wait',
        what: 'usage limit',
        until: outcome.resetsAt,
        reason: outcome.reason,
      },
    };
  // Not the task's fault, and the next task would fare no better: a person must come.
  if (outcome.kind === 'auth')
    return {
      state: before,
      next: { kind: 'wait', what: 'login', until: undefined, reason: outcome.reason },
    };
  if (outcome.kind === 'config') return ended(before, 'FAIL', 'broken', outcome.reason);
  const failed = isFailure(outcome);
  const state = { ...before, fastFailures: countFast(before, turn, outcome) };
  if (state.fastFailures >= MAX_FAST_FAILURES)
    return ended(state, 'FAIL', 'fast-fail', reasonOf(outcome));
  switch (turn) {
    case 'summary':
      return afterSummary(state, outcome);
    case 'ask-result':
      return afterAsking(plan, state, outcome);
    case 'work':
      if (outcome.kind === 'timeout') return afterTimeout(plan, state, outcome);
      return failed
        ? afterFailure(plan, state, outcome)
        : afterWork(plan, { ...state, failures: 0, workFailed: false, failedPairs: 0 }, outcome);
  }
}

function afterWork(plan: AgentPlan, state: LoopState, outcome: AgentOutcome) {
  if (plan.mode === 'ralph_loop' && plan.completion !== 'result-tag') {
    if (outcome.complete) return ended(state, outcome.result ?? 'PASS', 'completed');
    // An agent that says that it cannot go on is believed; one that says it is done is not.
    if (outcome.result === 'FAIL') return ended(state, 'FAIL', 'result');
    return loopOn(plan, state);
  }
  if (outcome.result) return ended(state, outcome.result, 'result');
  // The file speaks for such an agent; nobody asks for what it did not write (checklist 86).
  if (plan.completion === 'status-file')
    return ended(state, 'UNKNOWN', 'no-result', 'the status file of the agent is not there');
  // A session that ran out of turns was cut off in its work: in a loop the next iteration goes on.
  if (plan.mode === 'ralph_loop' && outcome.kind === 'max-turns') return loopOn(plan, state);
  return { state, next: { kind: 'ask-result' } as const };
}

function afterAsking(plan: AgentPlan, state: LoopState, outcome: AgentOutcome) {
  if (outcome.result && !isFailure(outcome)) return ended(state, outcome.result, 'result');
  if (state.timedOut)
    return ended(state, 'UNKNOWN', 'timeout', 'its time ran out without a result');
  if (plan.mode === 'ralph_loop') return loopOn(plan, state);
  return ended(state, 'UNKNOWN', 'no-result', 'the agent gave no valid result tag, asked twice');
}

// The words of a session that failed are no evidence: a loop sums up what there is and begins a new
// session, anybody else goes on in the same one.
function afterFailure(plan: AgentPlan, state: LoopState, outcome: AgentOutcome) {
  if (plan.mode === 'ralph_loop')
    return loopOn(plan, { ...state, workFailed: true }, reasonOf(outcome));
  const failed = { ...state, failures: state.failures + 1 };
  if (failed.failures >= MAX_FAILURES)
    return ended(failed, 'FAIL', 'backend-failures', reasonOf(outcome));
  return {
    state: failed,
    next: { kind: 'work', iteration: state.iteration, again: true } as const,
  };
}

function afterTimeout(plan: AgentPlan, state: LoopState, outcome: AgentOutcome) {
  const late = { ...state, timedOut: true };
  if (plan.completion === 'result-tag')
    return { state: late, next: { kind: 'ask-result' } as const };
  return outcome.complete
    ? ended(late, outcome.result ?? 'PASS', 'completed')
    : ended(late, 'FAIL', 'timeout', reasonOf(outcome));
}

function afterSummary(state: LoopState, outcome: AgentOutcome) {
  const failedPairs = state.workFailed && isFailure(outcome) ? state.failedPairs + 1 : 0;
  if (failedPairs >= MAX_FAILED_PAIRS)
    return ended({ ...state, failedPairs }, 'FAIL', 'backend-failures', reasonOf(outcome));
  const iteration = state.iteration + 1;
  return {
    state: { ...state, iteration, failedPairs, workFailed: false },
    next: { kind: 'work', iteration, again: false } as const,
  };
}

function loopOn(plan: AgentPlan, state: LoopState, fault?: string) {
  if (state.iteration + 1 < plan.maxIterations)
    return { state, next: { kind: 'summary' } as const };
  const detail = `not complete after ${plan.maxIterations} iterations`;
  return ended(state, 'FAIL', 'max-iterations', fault ? `${detail}: ${fault}` : detail);
}

function ended(state: LoopState, result: GateResult, why: EndReason, detail?: string) {
  const next: NextTurn = { kind: 'end', result, why, ...(detail === undefined ? {} : { detail }) };
  return { state, next };
}

// A summary that works says nothing about the work: it may sum up that there was none.
function countFast(before: LoopState, turn: string, outcome: AgentOutcome): number {
  if (!isFailure(outcome)) return turn === 'summary' ? before.fastFailures : 0;
  return outcome.usage.seconds < FAST_SECONDS ? before.fastFailures + 1 : 0;
}

function isFailure({ kind }: AgentOutcome): boolean {
  return kind === 'agent-failed' || kind === 'stalled' || kind === 'timeout';
}

function reasonOf(outcome: AgentOutcome): string {
  return 'reason' in outcome ? outcome.reason : outcome.kind;
}
