import type { AgentOutcome, AgentPlan, TurnPurpose } from './agent.ts';
import { ended, type Decided, type LoopState, type NextTurn, type Wait } from './loop-state.ts';
import { afterSupervisor } from './supervision.ts';

const MAX_FAILURES = 3;
const MAX_FAST_FAILURES = 3;
const MAX_FAILED_PAIRS = 2;
const FAST_SECONDS = 5;
const MAX_RETRIES = 3;
const RETRY_SECONDS = 5;
const MAX_RETRY_SECONDS = 60;

/** Notes that a turn begins: an iteration counts from its first turn of work. */
export function beginTurn(state: LoopState, next: NextTurn): LoopState {
  return next.kind === 'work' ? { ...state, iteration: next.iteration } : state;
}

/** Decides what follows a turn of an agent. `turn` is the turn that just ended. */
export function afterTurn(
  plan: AgentPlan,
  before: LoopState,
  turn: TurnPurpose,
  outcome: AgentOutcome,
): Decided {
  const wait = waitAfter(before, outcome);
  if (wait) return wait;
  if (outcome.kind === 'config') return ended(before, 'FAIL', 'broken', outcome.reason);
  if (outcome.kind === 'session-lost' && turn === 'work')
    return afterLostSession(plan, before, outcome);
  const state: LoopState = {
    ...before,
    retries: 0,
    lostSessions: 0,
    fastFailures: countFast(before, turn, outcome),
  };
  if (state.fastFailures >= MAX_FAST_FAILURES)
    return ended(state, 'FAIL', 'fast-fail', reasonOf(outcome));
  switch (turn) {
    case 'summary':
      return afterSummary(plan, state, outcome);
    case 'ask-result':
      return afterAsking(plan, state, outcome);
    case 'supervise':
      return afterSupervisor(plan, state, isFailure(outcome) ? undefined : outcome.decision);
    case 'work':
      return afterWork(plan, { ...state, lastResult: outcome.result }, outcome);
  }
}

/** The time of the step is over before a further turn could begin. */
export function outOfTime(plan: AgentPlan, state: LoopState): Decided {
  const late = { ...state, timedOut: true };
  if (plan.completion === 'result-tag') return { state: late, next: { kind: 'ask-result' } };
  return ended(late, 'FAIL', 'timeout', `not complete after ${plan.timeoutSeconds} seconds`);
}

/** An account that is used up, a model that is not there, nobody logged in: none is the agent's failure. */
function waitAfter(state: LoopState, outcome: AgentOutcome): Decided | undefined {
  const wait = (more: Omit<Wait, 'kind'>): NextTurn => ({ kind: 'wait', ...more });
  if (outcome.kind === 'limit') {
    const { resetsAt: until, reason } = outcome;
    return { state, next: wait({ what: 'usage limit', ...(until && { until }), reason }) };
  }
  if (outcome.kind === 'auth')
    return { state, next: wait({ what: 'login', reason: outcome.reason }) };
  if (outcome.kind !== 'transient') return undefined;
  const { reason } = outcome;
  // A model that stays away for longer is waited for at leisure.
  if (state.retries >= MAX_RETRIES) return { state, next: wait({ what: 'outage', reason }) };
  const seconds = Math.min(MAX_RETRY_SECONDS, RETRY_SECONDS * 2 ** state.retries);
  return {
    state: { ...state, retries: state.retries + 1 },
    next: wait({ what: 'outage', seconds, reason }),
  };
}

/** The conversation is gone, the workspace is not: a new session takes over, twice at most. */
function afterLostSession(plan: AgentPlan, state: LoopState, outcome: AgentOutcome): Decided {
  if (plan.mode === 'resume') return ended(state, 'FAIL', 'broken', reasonOf(outcome));
  const lostSessions = state.lostSessions + 1;
  if (lostSessions > 2) return ended(state, 'FAIL', 'backend-failures', reasonOf(outcome));
  return {
    state: { ...state, lostSessions },
    next: { kind: 'work', iteration: state.iteration, session: 'new' },
  };
}

function afterWork(plan: AgentPlan, state: LoopState, outcome: AgentOutcome): Decided {
  if (outcome.kind === 'timeout') return afterTimeout(plan, state, outcome);
  if (isFailure(outcome)) return afterFailure(plan, state, outcome);
  const good = { ...state, failures: 0, workFailed: false, failedPairs: 0 };
  if (plan.mode === 'ralph_loop' && plan.completion !== 'result-tag') {
    if (outcome.complete) return ended(good, outcome.result ?? 'PASS', 'completed');
    // An agent that says that it cannot go on is believed; one that says it is done is not.
    if (outcome.result === 'FAIL') return ended(good, 'FAIL', 'result');
    return loopOn(plan, good);
  }
  if (outcome.result) return ended(good, outcome.result, 'result');
  // The file speaks for such an agent; nobody asks for what it did not write (checklist 86).
  if (plan.completion === 'status-file')
    return ended(good, 'UNKNOWN', 'no-result', 'the status file of the agent is not there');
  // A session that ran out of turns was cut off in its work: in a loop the next iteration goes on.
  if (plan.mode === 'ralph_loop' && outcome.kind === 'max-turns') return loopOn(plan, good);
  return { state: good, next: { kind: 'ask-result' } };
}

function afterAsking(plan: AgentPlan, state: LoopState, outcome: AgentOutcome): Decided {
  const result = isFailure(outcome) ? undefined : outcome.result;
  // A loop that was stopped is never begun again, so it owes a result: none is no success.
  if (state.stopped)
    return ended(state, result ?? 'FAIL', 'supervisor-stop', state.guidance || undefined);
  if (result) return ended(state, result, 'result');
  if (state.timedOut)
    return ended(state, 'UNKNOWN', 'timeout', 'its time ran out without a result');
  if (plan.mode === 'ralph_loop') return loopOn(plan, state);
  return ended(state, 'UNKNOWN', 'no-result', 'the agent gave no valid result tag, asked twice');
}

// The words of a session that failed are no evidence: a loop sums up what there is and begins a new
// session, anybody else goes on in the same one.
function afterFailure(plan: AgentPlan, state: LoopState, outcome: AgentOutcome): Decided {
  if (plan.mode === 'ralph_loop')
    return loopOn(plan, { ...state, workFailed: true }, reasonOf(outcome));
  const failed = { ...state, failures: state.failures + 1 };
  if (failed.failures >= MAX_FAILURES)
    return ended(failed, 'FAIL', 'backend-failures', reasonOf(outcome));
  return {
    state: failed,
    next: { kind: 'work', iteration: state.iteration, session: 'same' },
  };
}

function afterTimeout(plan: AgentPlan, state: LoopState, outcome: AgentOutcome): Decided {
  const late = { ...state, timedOut: true };
  if (plan.completion === 'result-tag') return { state: late, next: { kind: 'ask-result' } };
  return outcome.complete
    ? ended(late, outcome.result ?? 'PASS', 'completed')
    : ended(late, 'FAIL', 'timeout', reasonOf(outcome));
}

function afterSummary(plan: AgentPlan, state: LoopState, outcome: AgentOutcome): Decided {
  const failedPairs = state.workFailed && isFailure(outcome) ? state.failedPairs + 1 : 0;
  if (failedPairs >= MAX_FAILED_PAIRS)
    return ended({ ...state, failedPairs }, 'FAIL', 'backend-failures', reasonOf(outcome));
  const following = state.iteration + 1;
  const isDue = plan.supervisorInterval > 0 && following % plan.supervisorInterval === 0;
  return {
    state: { ...state, failedPairs, workFailed: false },
    next: isDue ? { kind: 'supervise' } : { kind: 'work', iteration: following, session: 'new' },
  };
}

function loopOn(plan: AgentPlan, state: LoopState, fault?: string): Decided {
  if (state.iteration + 1 < plan.maxIterations) return { state, next: { kind: 'summary' } };
  const { lastResult } = state;
  // At the end the file speaks: a tag in it stands over items that are still open (checklist 86).
  if (plan.completion === 'status-file' && lastResult && lastResult !== 'FAIL')
    return ended(state, lastResult, 'result');
  const detail = `not complete after ${plan.maxIterations} iterations`;
  return ended(state, 'FAIL', 'max-iterations', fault ? `${detail}: ${fault}` : detail);
}

// A summary or a supervisor that works says nothing about the work.
function countFast(before: LoopState, turn: TurnPurpose, outcome: AgentOutcome): number {
  const aside = turn === 'summary' || turn === 'supervise';
  if (!isFailure(outcome)) return aside ? before.fastFailures : 0;
  if (turn === 'supervise') return before.fastFailures;
  return outcome.usage.seconds < FAST_SECONDS ? before.fastFailures + 1 : 0;
}

function isFailure({ kind }: AgentOutcome): boolean {
  return ['agent-failed', 'stalled', 'timeout', 'session-lost'].includes(kind);
}

function reasonOf(outcome: AgentOutcome): string {
  return 'reason' in outcome ? outcome.reason : outcome.kind;
}
