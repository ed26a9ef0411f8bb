import { expect } from '@jest/globals';
import { afterTurn, beginTurn } from '../../workflows/domain/agent-loop.ts';
import type { AgentOutcome, AgentPlan, TurnPurpose } from '../../workflows/domain/agent.ts';
import { FRESH_LOOP, type LoopState, type NextTurn } from '../../workflows/domain/loop-state.ts';
import { NO_USAGE } from '../../workflows/domain/usage.ts';

export type Change = Partial<AgentOutcome> & { seconds?: number };
export type Turn = [TurnPurpose, Change];

/** Makes the outcome of a turn that took a minute and said nothing of note. */
export function anOutcome({ seconds = 60, ...change }: Change = {}): AgentOutcome {
  return {
    kind: 'ok',
    complete: false,
    log: 'log',
    sessionId: 'session',
    usage: { ...NO_USAGE, turns: 1, seconds },
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: '2026-01-01T00:01:00.000Z',
    ...change,
  } as AgentOutcome;
}

/** What follows the last of some turns; every turn but the last must lead to the one after it. */
export function after(used: AgentPlan, turns: Turn[], from: LoopState = FRESH_LOOP) {
  let state = from;
  let next: NextTurn = { kind: 'work', iteration: 0, session: 'same' };
  for (const [turn, change] of turns) {
    if (next.kind !== 'wait') expect(next.kind).toBe(turn);
    // Whoever comes with a state of their own is in the middle of it.
    if (state !== from) state = beginTurn(state, next);
    ({ state, next } = afterTurn(used, state, turn, anOutcome(change)));
  }
  return { state, next };
}

export const failed: Change = { kind: 'agent-failed', reason: 'exit 1' };
export const cutOff: Change = { kind: 'max-turns' };
