import type { AgentPlan, SupervisorDecision } from './agent.ts';
import { ended, FRESH_LOOP, type Decided, type LoopState } from './loop-state.ts';

/** What a loop does after its supervisor has looked; no decision that can be read means: go on. */
export function afterSupervisor(
  plan: AgentPlan,
  state: LoopState,
  decision: SupervisorDecision = { kind: 'CONTINUE', guidance: '' },
): Decided {
  const { guidance } = decision;
  const told = { ...state, guidance };
  switch (decision.kind) {
    case 'CONTINUE':
      return {
        state: told,
        next: { kind: 'work', iteration: state.iteration + 1, session: 'new' },
      };
    case 'STOP':
      return stop(plan, { ...told, stopped: true });
    case 'RESTART':
      return restart(plan, told);
  }
}

/** Decides nothing by itself: tag or status file give the result, never PASS for want of one (checklist 198). */
function stop(plan: AgentPlan, state: LoopState): Decided {
  if (plan.completion === 'result-tag') return { state, next: { kind: 'ask-result' } };
  return ended(state, state.lastResult ?? 'FAIL', 'supervisor-stop', state.guidance);
}

/** A new run from iteration 0; what is in the workspace and in the files of the old one stays. */
function restart(plan: AgentPlan, state: LoopState): Decided {
  const restarts = state.restarts + 1;
  if (restarts > plan.maxRestarts)
    return ended(
      state,
      state.lastResult ?? 'FAIL',
      'restart-limit',
      `its supervisor wanted to begin anew more than ${plan.maxRestarts} times`,
    );
  return {
    state: {
      ...FRESH_LOOP,
      restarts,
      guidance: state.guidance,
      earlierIterations: state.earlierIterations + state.iteration + 1,
    },
    next: { kind: 'work', iteration: 0, session: 'new', anew: true },
  };
}
