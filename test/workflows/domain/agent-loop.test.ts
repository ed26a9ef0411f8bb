import { describe, expect, it } from '@jest/globals';
import { outOfTime } from '../../../workflows/domain/agent-loop.ts';
import type { AgentPlan } from '../../../workflows/domain/agent.ts';
import { FRESH_LOOP, type LoopState, type NextTurn } from '../../../workflows/domain/loop-state.ts';
import { anAgentPlan } from '../../helpers/a-step-record.ts';
import { after, cutOff, failed, type Change, type Turn } from '../../helpers/turns.ts';

const plan = anAgentPlan();
const once: AgentPlan = { ...plan, mode: 'once', maxIterations: 1 };
const checklist: AgentPlan = { ...plan, completion: 'status-file' };

const fast: Change = { ...failed, seconds: 2 };

describe('afterTurn, for an agent that owes a result tag', () => {
  it.each<[string, AgentPlan, Turn[], Partial<NextTurn>]>([
    [
      'ends with the tag that was said (#79)',
      plan,
      [['work', { result: 'FIX' }]],
      { kind: 'end', result: 'FIX', why: 'result' },
    ],
    [
      'asks the session once more for a missing tag (#81)',
      plan,
      [['work', {}]],
      { kind: 'ask-result' },
    ],
    [
      'takes the tag that it asked for (#81)',
      once,
      [
        ['work', {}],
        ['ask-result', { result: 'PASS' }],
      ],
      { kind: 'end', result: 'PASS', why: 'result' },
    ],
    [
      'ends as UNKNOWN when asking brings no tag either (#81)',
      once,
      [
        ['work', {}],
        ['ask-result', {}],
      ],
      { kind: 'end', result: 'UNKNOWN', why: 'no-result' },
    ],
    [
      'goes on with a summary when a loop is not finished',
      plan,
      [
        ['work', {}],
        ['ask-result', {}],
      ],
      { kind: 'summary' },
    ],
    [
      'starts the next iteration in a new session after the summary',
      plan,
      [
        ['work', cutOff],
        ['summary', {}],
      ],
      { kind: 'work', iteration: 1, session: 'new' },
    ],
    [
      'does not believe a tag in a session that failed',
      once,
      [['work', { ...failed, result: 'PASS' }]],
      { kind: 'work', iteration: 0, session: 'same' },
    ],
    [
      'does not believe the answer of a session that failed to answer',
      once,
      [
        ['work', {}],
        ['ask-result', { ...failed, result: 'PASS' }],
      ],
      { kind: 'end', result: 'UNKNOWN' },
    ],
  ])('%s', (_title, used, turns, expected) => {
    expect(after(used, turns).next).toMatchObject(expected);
  });
});

describe('afterTurn, when turns or iterations run out', () => {
  it('takes a session out of turns for an ordinary iteration of a loop (#197)', () => {
    const { state, next } = after(plan, [['work', cutOff]]);
    expect(next).toEqual({ kind: 'summary' });
    expect(state).toEqual(FRESH_LOOP);
  });

  it('asks a single session out of turns for its tag, then ends as UNKNOWN (#197)', () => {
    const turns: Turn[] = [
      ['work', cutOff],
      ['ask-result', {}],
    ];
    expect(after(once, turns.slice(0, 1)).next).toEqual({ kind: 'ask-result' });
    expect(after(once, turns).next).toMatchObject({ kind: 'end', result: 'UNKNOWN' });
  });

  it('ends with a reason of its own after the last iteration (#95)', () => {
    const iteration: Turn[] = [
      ['work', cutOff],
      ['summary', {}],
    ];
    expect(after(plan, [...iteration, ...iteration, ['work', cutOff]]).next).toEqual({
      kind: 'end',
      result: 'FAIL',
      why: 'max-iterations',
      detail: 'not complete after 3 iterations',
    });
  });

  it('takes a result that comes in the very last iteration (#88)', () => {
    const last: LoopState = { ...FRESH_LOOP, iteration: 2 };
    expect(after(plan, [['work', { result: 'PASS' }]], last).next).toMatchObject({
      result: 'PASS',
    });
    expect(after(checklist, [['work', { complete: true }]], last).next).toMatchObject({
      result: 'PASS',
      why: 'completed',
    });
  });

  it('takes the tag in the status file after the last iteration, items open or not (#86)', () => {
    const last: LoopState = { ...FRESH_LOOP, iteration: 2 };
    expect(after(checklist, [['work', { result: 'FIX' }]], last).next).toEqual({
      kind: 'end',
      result: 'FIX',
      why: 'result',
    });
    expect(after(checklist, [['work', {}]], last).next).toMatchObject({ why: 'max-iterations' });
  });

  it('asks a session that ran out of time for its result, and for nothing else', () => {
    const late: Change = { kind: 'timeout', reason: 'ended after 3600 seconds', seconds: 3600 };
    expect(after(plan, [['work', late]]).next).toEqual({ kind: 'ask-result' });
    expect(
      after(plan, [
        ['work', late],
        ['ask-result', { result: 'FIX' }],
      ]).next,
    ).toMatchObject({
      result: 'FIX',
    });
    expect(
      after(plan, [
        ['work', late],
        ['ask-result', {}],
      ]).next,
    ).toMatchObject({
      result: 'UNKNOWN',
      why: 'timeout',
    });
    expect(after(checklist, [['work', late]]).next).toMatchObject({
      result: 'FAIL',
      why: 'timeout',
    });
  });
});

describe('afterTurn, for an agent whose file speaks for it', () => {
  it.each<[string, AgentPlan, Change, Partial<NextTurn>]>([
    ['loops while items are open (#86)', checklist, { result: undefined }, { kind: 'summary' }],
    [
      'loops on when only the agent says that it is done',
      checklist,
      { result: 'PASS' },
      { kind: 'summary' },
    ],
    [
      'ends when no item is open (#88)',
      checklist,
      { complete: true, result: 'PASS' },
      { kind: 'end', result: 'PASS', why: 'completed' },
    ],
    [
      'ends when the agent gives up',
      checklist,
      { result: 'FAIL' },
      { kind: 'end', result: 'FAIL', why: 'result' },
    ],
    [
      'ends as UNKNOWN when there is no file (#86)',
      { ...checklist, mode: 'once' },
      {},
      { kind: 'end', result: 'UNKNOWN', why: 'no-result' },
    ],
  ])('%s', (_title, used, change, expected) => {
    expect(after(used, [['work', change]]).next).toMatchObject(expected);
  });
});

describe('afterTurn, when sessions fail', () => {
  it('tries a single session again, and gives up after three failures', () => {
    const work: Turn = ['work', failed];
    expect(after(once, [work, work]).next).toEqual({ kind: 'work', iteration: 0, session: 'same' });
    expect(after(once, [work, work, work]).next).toMatchObject({
      result: 'FAIL',
      why: 'backend-failures',
      detail: 'exit 1',
    });
  });

  it('forgets failures once a session worked', () => {
    const { state } = after(once, [
      ['work', failed],
      ['work', fast],
      ['work', {}],
    ]);
    expect(state).toEqual(FRESH_LOOP);
  });

  it('stops after three sessions that failed within five seconds (#96)', () => {
    expect(
      after(once, [
        ['work', fast],
        ['work', fast],
        ['work', fast],
      ]).next,
    ).toMatchObject({
      result: 'FAIL',
      why: 'fast-fail',
    });
    expect(
      after(plan, [
        ['work', fast],
        ['summary', fast],
        ['work', fast],
      ]).next,
    ).toMatchObject({
      why: 'fast-fail',
    });
  });

  it('counts fast failures of the work also when the summaries between them work (#96)', () => {
    const long = { ...plan, maxIterations: 10 };
    const pair: Turn[] = [
      ['work', fast],
      ['summary', {}],
    ];
    expect(after(long, [...pair, ...pair]).next).toMatchObject({ kind: 'work' });
    expect(after(long, [...pair, ...pair, ['work', fast]]).next).toMatchObject({
      why: 'fast-fail',
    });
  });

  it('stops after two failing pairs of work and summary (#96)', () => {
    const pair: Turn[] = [
      ['work', failed],
      ['summary', failed],
    ];
    expect(after(plan, pair).next).toMatchObject({ kind: 'work', iteration: 1 });
    expect(after(plan, [...pair, ...pair]).next).toMatchObject({
      result: 'FAIL',
      why: 'backend-failures',
    });
  });

  it('forgets a failed pair when one of the next pair works', () => {
    const turns: Turn[] = [
      ['work', failed],
      ['summary', failed],
      ['work', failed],
      ['summary', {}],
    ];
    expect(after(plan, turns).state).toMatchObject({ iteration: 1, failedPairs: 0 });
  });

  it('ends at once when it was set up wrongly', () => {
    const broken: Change = { kind: 'config', reason: 'no such model' };
    expect(after(plan, [['work', broken]]).next).toEqual({
      kind: 'end',
      result: 'FAIL',
      why: 'broken',
      detail: 'no such model',
    });
  });

  it('waits for a person when nobody is logged in, and fails no task for it', () => {
    const broken: Change = { kind: 'auth', reason: 'no key' };
    expect(after(plan, [['work', broken]])).toMatchObject({
      state: FRESH_LOOP,
      next: { kind: 'wait', what: 'login', reason: 'no key' },
    });
  });
});

describe('outOfTime', () => {
  it('asks for the result of an agent that owes a tag, and fails one whose file is not complete (#57)', () => {
    expect(outOfTime(plan, FRESH_LOOP)).toMatchObject({
      state: { timedOut: true },
      next: { kind: 'ask-result' },
    });
    expect(outOfTime(checklist, FRESH_LOOP).next).toMatchObject({ result: 'FAIL', why: 'timeout' });
  });
});
