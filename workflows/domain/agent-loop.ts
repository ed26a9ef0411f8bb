import type { AgentOutcome, AgentPlan } from './agent.ts';
import type { GateResult } from './steps.ts';

/** What an agent run has behind it; outcomes of work turns only, newest last. */
export interface LoopState {
  iteration: number;
  /** The session of this iteration was asked for its tag already. */
  asked: boolean;
  /** Work turns in a row that failed. */
  failures: number;
  /** Failed turns in a row that took less than FAST_SECONDS. */
  fastFailures: number;
}

export type NextTurn =
  /** Start the next iteration; `again` continues the same session. */
  | { kind: 'work'; iteration: number; again: boolean }
  | { kind: 'summary' }
  | { kind: 'ask-result' }
  /** The account is used up: wait, then go on in the same session, nothing counted. */
  | { kind: 'wait'; until: string | undefined; reason: string }
  | { kind: 'end'; result: GateResult; why: EndReason; detail?: string };

export type EndReason =
  | 'result'
  | 'completed'
  | 'no-result'
  | 'max-iterations'
  | 'fast-fail'
  | 'backend-failures'
  | 'broken';

const MAX_FAILURES = 3;
const MAX_FAST_FAILURES = 3;
const FAST_SECONDS = 5;

export const FRESH_LOOP: LoopState = { iteration: 0, asked: false, failures: 0, fastFailures: 0 };

/** Decides what follows a turn of an agent. `turn` is the turn that just ended. */
export function afterTurn(
  plan: AgentPlan,
  state: LoopState,
  turn: 'work' | 'summary' | 'ask-result',
  outcome: AgentOutcome,
): { state: LoopState; next: NextTurn } {
  if (outcome.kind === 'limit')
    return { state, next: { kind: 'wait', until: outcome.resetsAt, reason: outcome.reason } };
  if (outcome.kind === 'auth' || outcome.kind === 'config')
    return { state, next: end('FAIL', 'broken', outcome.reason) };
  switch (turn) {
    case 'summary':
      return nextIteration(state);
    case 'ask-result':
      return afterAsking(plan, { ...state, asked: true }, outcome);
    case 'work':
      return isFailure(outcome)
        ? afterFailure(plan, state, outcome)
        : afterWork(plan, { ...state, failures: 0, fastFailures: 0 }, outcome);
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
  // A session that ran out of turns was cut off in its work: in a loop the next iteration goes on.
  if (plan.mode === 'ralph_loop' && outcome.kind === 'max-turns') return loopOn(plan, state);
  return { state, next: { kind: 'ask-result' } as const };
}

function afterAsking(plan: AgentPlan, state: LoopState, outcome: AgentOutcome) {
  if (outcome.result) return ended(state, outcome.result, 'result');
  if (plan.mode === 'ralph_loop') return loopOn(plan, state);
  return ended(state, 'UNKNOWN', 'no-result', 'the agent gave no valid result tag, asked twice');
}

function afterFailure(plan: AgentPlan, state: LoopState, outcome: AgentOutcome) {
  const detail = 'reason' in outcome ? outcome.reason : outcome.kind;
  if (outcome.result && plan.completion === 'result-tag')
    return ended(state, outcome.result, 'result', detail);
  const failures = state.failures + 1;
  const fastFailures = outcome.usage.seconds < FAST_SECONDS ? state.fastFailures + 1 : 0;
  const failed = { ...state, failures, fastFailures };
  if (fastFailures >= MAX_FAST_FAILURES) return ended(failed, 'FAIL', 'fast-fail', detail);
  if (failures >= MAX_FAILURES) return ended(failed, 'FAIL', 'backend-failures', detail);
  return {
    state: failed,
    next: { kind: 'work', iteration: state.iteration, again: true } as const,
  };
}

function loopOn(plan: AgentPlan, state: LoopState) {
  if (state.iteration + 1 >= plan.maxIterations)
    return ended(
      state,
      'FAIL',
      'max-iterations',
      `not complete after ${plan.maxIterations} iterations`,
    );
  return { state, next: { kind: 'summary' } as const };
}

function nextIteration(state: LoopState) {
  const iteration = state.iteration + 1;
  return {
    state: { ...state, iteration, asked: false },
    next: { kind: 'work', iteration, again: false } as const,
  };
}

function ended(state: LoopState, result: GateResult, why: EndReason, detail?: string) {
  return { state, next: end(result, why, detail) };
}

function end(result: GateResult, why: EndReason, detail?: string): NextTurn {
  return detail === undefined ? { kind: 'end', result, why } : { kind: 'end', result, why, detail };
}

function isFailure(outcome: AgentOutcome): boolean {
  return (
    outcome.kind === 'agent-failed' || outcome.kind === 'stalled' || outcome.kind === 'timeout'
  );
}
