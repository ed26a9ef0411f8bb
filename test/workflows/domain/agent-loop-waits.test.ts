import { describe, expect, it } from '@jest/globals';
import { afterTurn } from '../../../workflows/domain/agent-loop.ts';
import { FRESH_LOOP, type LoopState } from '../../../workflows/domain/loop-state.ts';
import { anAgentPlan } from '../../helpers/a-step-record.ts';
import { after, anOutcome, cutOff, failed, type Change } from '../../helpers/turns.ts';

const plan = anAgentPlan();

describe('afterTurn, at a usage limit', () => {
  it.each(['work', 'summary', 'ask-result'] as const)('waits and counts nothing: %s', (turn) => {
    const before: LoopState = { ...FRESH_LOOP, iteration: 1, failures: 1, fastFailures: 2 };
    const limit = anOutcome({
      kind: 'limit',
      reason: 'used up',
      resetsAt: '2026-01-02T00:00:00.000Z',
    });
    const { state, next } = afterTurn(plan, before, turn, limit);
    expect(state).toBe(before);
    expect(next).toEqual({
      kind: 'wait',
      what: 'usage limit',
      until: '2026-01-02T00:00:00.000Z',
      reason: 'used up',
    });
  });
});

describe('afterTurn, when the model cannot be reached', () => {
  const away: Change = { kind: 'transient', reason: 'overloaded' };

  it('tries three times at growing intervals, then waits at leisure, and counts nothing (#145)', () => {
    let state: LoopState = { ...FRESH_LOOP, iteration: 1, fastFailures: 2 };
    const waits: (number | undefined)[] = [];
    for (let time = 0; time < 5; time += 1) {
      const decided = afterTurn(plan, state, 'work', anOutcome(away));
      expect(decided.next).toMatchObject({ kind: 'wait', what: 'outage', reason: 'overloaded' });
      waits.push((decided.next as { seconds?: number }).seconds);
      state = decided.state;
    }
    expect(waits).toEqual([5, 10, 20, undefined, undefined]);
    expect(state).toMatchObject({ iteration: 1, fastFailures: 2, failures: 0 });
  });

  it('begins to count anew once the model has answered (#145)', () => {
    const { state } = after(plan, [
      ['work', away],
      ['work', away],
      ['work', cutOff],
    ]);
    expect(state.retries).toBe(0);
  });

  it('does not retry any other failure (#145)', () => {
    expect(after(plan, [['work', failed]]).next).toEqual({ kind: 'summary' });
  });
});

describe('afterTurn, when a session is lost', () => {
  const lost: Change = { kind: 'session-lost', reason: 'No conversation found' };

  it('goes on with the same iteration in a new session, nothing counted', () => {
    const at: LoopState = { ...FRESH_LOOP, iteration: 1 };
    expect(after(plan, [['work', lost]], at)).toMatchObject({
      state: { iteration: 1, failures: 0, fastFailures: 0 },
      next: { kind: 'work', iteration: 1, session: 'new' },
    });
  });

  it('gives up when new sessions are lost too', () => {
    expect(
      after(plan, [
        ['work', lost],
        ['work', lost],
        ['work', lost],
      ]).next,
    ).toMatchObject({ result: 'FAIL', why: 'backend-failures' });
  });

  it("cannot go on without the parent's session (#74)", () => {
    const resume = anAgentPlan({ mode: 'resume', maxIterations: 1 });
    expect(after(resume, [['work', lost]]).next).toMatchObject({ result: 'FAIL', why: 'broken' });
  });

  it('ends an iteration whose summary was lost like any other', () => {
    expect(
      after(plan, [
        ['work', cutOff],
        ['summary', lost],
      ]).next,
    ).toMatchObject({ kind: 'work', iteration: 1 });
  });
});
