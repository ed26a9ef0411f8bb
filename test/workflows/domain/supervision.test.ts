import { describe, expect, it } from '@jest/globals';
import { afterTurn } from '../../../workflows/domain/agent-loop.ts';
import type { SupervisorDecision } from '../../../workflows/domain/agent.ts';
import { FRESH_LOOP, type Decided, type LoopState } from '../../../workflows/domain/loop-state.ts';
import { NO_USAGE } from '../../../workflows/domain/usage.ts';
import { anAgentPlan } from '../../helpers/a-step-record.ts';
import { anOutcome } from '../../helpers/turns.ts';

const plan = anAgentPlan({ maxIterations: 10, supervisorInterval: 2 });
const checklist = anAgentPlan({ ...plan, completion: 'status-file' });

const supervised = (
  decision: SupervisorDecision | undefined,
  state: Partial<LoopState> = {},
  used = plan,
): Decided =>
  afterTurn(
    used,
    { ...FRESH_LOOP, iteration: 1, ...state },
    'supervise',
    anOutcome(decision ? { decision } : {}),
  );

describe('a supervisor', () => {
  it('looks after every second iteration when the interval is 2 (#91, #217)', () => {
    const kinds: string[] = [];
    let state = FRESH_LOOP;
    for (let iteration = 0; iteration < 5; iteration += 1) {
      const decided = afterTurn(plan, { ...state, iteration }, 'summary', anOutcome());
      kinds.push(decided.next.kind);
      state = decided.state;
    }
    expect(kinds).toEqual(['work', 'supervise', 'work', 'supervise', 'work']);
  });

  it('never looks when the interval is 0 (#199)', () => {
    const alone = anAgentPlan({ supervisorInterval: 0 });
    expect(afterTurn(alone, FRESH_LOOP, 'summary', anOutcome()).next.kind).toBe('work');
  });

  it('lets the loop go on with its guidance, word for word (#92)', () => {
    const guidance = '  Look at {{the}} tests\nfirst. ';
    expect(supervised({ kind: 'CONTINUE', guidance })).toMatchObject({
      state: { guidance, iteration: 1 },
      next: { kind: 'work', iteration: 2, session: 'new' },
    });
  });

  it('that says nothing lets the loop go on, and takes back what was said before (#94)', () => {
    expect(supervised(undefined, { guidance: 'older' })).toMatchObject({
      state: { guidance: '' },
      next: { kind: 'work', iteration: 2 },
    });
  });

  it('that fails does not stop the work, and is no failure of it (#94)', () => {
    const failing = afterTurn(
      plan,
      { ...FRESH_LOOP, iteration: 2, fastFailures: 2 },
      'supervise',
      anOutcome({ kind: 'agent-failed', reason: 'exit 1', usage: NO_USAGE }),
    );
    expect(failing.next).toMatchObject({ kind: 'work' });
    expect(failing.state.fastFailures).toBe(2);
  });
});

describe('STOP', () => {
  const stop: SupervisorDecision = { kind: 'STOP', guidance: 'It runs in circles.' };

  it('asks for the tag and starts no further iteration (#198)', () => {
    const asked = supervised(stop);
    expect(asked.next).toEqual({ kind: 'ask-result' });
    expect(
      afterTurn(plan, asked.state, 'ask-result', anOutcome({ result: 'FIX' })).next,
    ).toMatchObject({ kind: 'end', result: 'FIX', why: 'supervisor-stop' });
  });

  it('is never PASS for want of a result (#198)', () => {
    const asked = supervised(stop);
    expect(afterTurn(plan, asked.state, 'ask-result', anOutcome()).next).toEqual({
      kind: 'end',
      result: 'FAIL',
      why: 'supervisor-stop',
      detail: 'It runs in circles.',
    });
    expect(supervised(stop, {}, checklist).next).toMatchObject({
      result: 'FAIL',
      why: 'supervisor-stop',
    });
  });

  it('counts the iterations that ran, and no other (#84, #198)', () => {
    expect(supervised(stop, {}, checklist).state.iteration).toBe(1);
    expect(supervised(stop).state.iteration).toBe(1);
  });

  it('takes what the status file said last (#198)', () => {
    expect(supervised(stop, { lastResult: 'FIX' }, checklist).next).toMatchObject({
      result: 'FIX',
    });
  });
});

describe('RESTART', () => {
  const anew: SupervisorDecision = { kind: 'RESTART', guidance: 'Begin with the parser.' };

  it('begins at iteration 0 of a new run, with the guidance (#93)', () => {
    expect(supervised(anew, { iteration: 3, earlierIterations: 2 })).toMatchObject({
      state: { iteration: 0, restarts: 1, guidance: anew.guidance, earlierIterations: 6 },
      next: { kind: 'work', iteration: 0, session: 'new', anew: true },
    });
  });

  it('ends the loop when it comes more often than allowed (#93)', () => {
    expect(supervised(anew, { restarts: 1 }).next).toMatchObject({ kind: 'work', anew: true });
    expect(supervised(anew, { restarts: 2 }).next).toMatchObject({
      kind: 'end',
      result: 'FAIL',
      why: 'restart-limit',
    });
  });
});
