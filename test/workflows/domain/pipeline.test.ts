import { describe, expect, it } from '@jest/globals';
import {
  advance,
  begin,
  judge,
  nextStepId,
  unitAt,
  type PipelineContext,
  type PipelineState,
} from '../../../workflows/domain/pipeline.ts';
import {
  enabledVariables,
  type Pipeline,
  type ResultMappings,
} from '../../../workflows/domain/steps.ts';
import { aPipeline, aStep, inline, jump } from '../../helpers/a-pipeline.ts';

const CONTEXT: PipelineContext = { enabled: [], mappings: {} };

/** Plays results into a pipeline; the road is the list of units that ran, and how it ended. */
function play(
  pipeline: Pipeline,
  results: string[],
  { context = CONTEXT, from }: { context?: PipelineContext; from?: string } = {},
): { road: string[]; state: PipelineState } {
  let state = begin(pipeline, context, from);
  const road: string[] = [];
  for (const result of [...results, undefined]) {
    if (state.kind !== 'at') break;
    road.push(state.path.join('/'));
    if (result === undefined) break;
    // What travels through a history must be plain JSON.
    state = advance(pipeline, context, JSON.parse(JSON.stringify(state)) as PipelineState, result);
  }
  return { road, state };
}

const roadOf = (...args: Parameters<typeof play>) => play(...args).road.join(' ');

describe('default jumps', () => {
  const three = aPipeline(aStep('one'), aStep('two'), aStep('three'));

  it.each([
    ['goes on after PASS', ['PASS'], 'one two'],
    ['goes on after SKIP', ['SKIP'], 'one two'],
    ['goes back one step after FIX', ['PASS', 'FIX'], 'one two one'],
    ['stays at the first step when FIX would go before it (#46)', ['FIX'], 'one one'],
    ['runs a step again after UNKNOWN (#82)', ['PASS', 'UNKNOWN'], 'one two two'],
  ])('%s (#45)', (_title, results, road) => {
    expect(roadOf(three, results)).toBe(road);
  });

  it('aborts after FAIL and says where (#45)', () => {
    expect(play(three, ['PASS', 'FAIL']).state).toEqual({
      kind: 'aborted',
      path: ['two'],
      why: 'result',
      result: 'FAIL',
    });
  });

  it('completes after the last step (#45)', () => {
    expect(play(three, ['PASS', 'PASS', 'SKIP']).state).toEqual({ kind: 'completed' });
  });

  it('aborts after a result that nobody maps or handles (#45)', () => {
    expect(play(three, ['MAYBE']).state).toMatchObject({ kind: 'aborted', result: 'MAYBE' });
  });

  it('prefers the pipeline to the agent and the agent to the defaults (#45)', () => {
    const to = (defaultJump: string): ResultMappings => ({
      FIX: { status: 'partial', exitCode: 0, defaultJump },
    });
    const agentSays = { ...CONTEXT, mappings: { 'test.two': to('next') } };
    const mapped = { ...three, resultMappings: to('self') };
    expect(roadOf(three, ['PASS', 'FIX'], { context: agentSays })).toBe('one two three');
    expect(roadOf(mapped, ['PASS', 'FIX'], { context: agentSays })).toBe('one two two');
  });

  it('leaves an ended pipeline as it is (#45)', () => {
    const { state } = play(three, ['FAIL']);
    expect(advance(three, CONTEXT, state, 'PASS')).toBe(state);
  });
});

describe('handlers', () => {
  it.each([
    ['self', 'one two two'],
    ['prev', 'one two one'],
    ['next', 'one two three'],
    ['one', 'one two one'],
    ['three', 'one two three'],
  ])('jumps to %s (#46)', (target, road) => {
    const pipeline = aPipeline(
      aStep('one'),
      aStep('two', { onResult: { FAIL: jump(target) } }),
      aStep('three'),
    );
    expect(roadOf(pipeline, ['PASS', 'FAIL'])).toBe(road);
  });

  it('aborts where a handler says so, also after PASS (#46)', () => {
    const pipeline = aPipeline(aStep('one', { onResult: { PASS: jump('abort') } }), aStep('two'));
    expect(play(pipeline, ['PASS']).state).toMatchObject({ kind: 'aborted', result: 'PASS' });
  });
});

describe('visit limits', () => {
  it('takes on_max in place of the visit after the last (#47)', () => {
    const step = aStep('two', { max: 2, onMax: 'four', onResult: { FAIL: jump('self') } });
    const pipeline = aPipeline(aStep('one'), step, aStep('three'), aStep('four'));
    expect(roadOf(pipeline, ['PASS', 'FAIL', 'FAIL'])).toBe('one two two four');
  });

  it('goes to the next step when on_max is not given (#47)', () => {
    const pipeline = aPipeline(
      aStep('one', { max: 1, onResult: { FAIL: jump('self') } }),
      aStep('two'),
    );
    expect(roadOf(pipeline, ['FAIL'])).toBe('one two');
  });

  it('aborts as exhausted when on_max says so (#47)', () => {
    const pipeline = aPipeline(
      aStep('one', { max: 1, onMax: 'abort', onResult: { FIX: jump('self') } }),
    );
    expect(play(pipeline, ['FIX']).state).toEqual({
      kind: 'aborted',
      path: ['one'],
      why: 'exhausted',
      result: 'FIX',
    });
  });

  it('passes over several used-up steps in one leap (#47)', () => {
    const pipeline = aPipeline(
      aStep('one', { max: 1 }),
      aStep('two', { max: 1 }),
      aStep('three', { max: 2, onResult: { FAIL: jump('one') } }),
      aStep('four'),
    );
    expect(roadOf(pipeline, ['PASS', 'PASS', 'FAIL', 'FAIL'])).toBe('one two three three four');
  });

  it('fails instead of spinning between two used-up steps (#48)', () => {
    const pipeline = aPipeline(
      aStep('ping', { max: 1, onMax: 'pong' }),
      aStep('pong', { max: 1, onMax: 'ping', onResult: { PASS: jump('ping') } }),
    );
    const { road, state } = play(pipeline, ['PASS', 'PASS']);
    expect(road).toEqual(['ping', 'pong']);
    expect(state).toMatchObject({ kind: 'aborted', why: 'exhausted' });
  });
});

describe('inline handlers', () => {
  const withFix = (fix: Parameters<typeof inline>[1] = {}) =>
    aPipeline(
      aStep('before'),
      aStep('audit', { onResult: { FIX: inline('audit-fix', fix) } }),
      aStep('after'),
    );

  it.each(['PASS', 'FIX', 'FAIL', 'SKIP', 'UNKNOWN'])(
    'run the parent again after %s when they say nothing else (#49)',
    (result) => {
      expect(roadOf(withFix({ max: 2 }), ['PASS', 'FIX', result])).toBe(
        'before audit audit/audit-fix audit',
      );
    },
  );

  it.each([
    ['self', 'audit'],
    ['next', 'after'],
    ['prev', 'before'],
    ['before', 'before'],
  ])('resolve a jump to %s at their parent (#49)', (target, next) => {
    const pipeline = withFix({ onResult: { PASS: jump(target) } });
    expect(roadOf(pipeline, ['PASS', 'FIX', 'PASS'])).toBe(`before audit audit/audit-fix ${next}`);
  });

  it('run at most max times, then their on_max holds at the parent (#50)', () => {
    const results = ['PASS', 'FIX', 'PASS', 'FIX', 'PASS', 'FIX'];
    const twice = 'before audit audit/audit-fix audit audit/audit-fix audit';
    expect(roadOf(withFix({ max: 2 }), results)).toBe(`${twice} after`);
    expect(roadOf(withFix({ max: 2, onMax: 'prev' }), results)).toBe(`${twice} before`);
    expect(play(withFix({ max: 2, onMax: 'abort' }), results).state).toMatchObject({
      kind: 'aborted',
      path: ['audit', 'audit-fix'],
      why: 'exhausted',
    });
  });

  it('may have handlers of their own, to any depth (#49)', () => {
    const pipeline = aPipeline(
      aStep('test', {
        onResult: {
          FIX: inline('fix', {
            max: 2,
            onResult: { FIX: inline('deeper', { max: 1, onMax: 'next' }) },
          }),
        },
      }),
      aStep('after'),
    );
    expect(roadOf(pipeline, ['FIX', 'FIX', 'PASS', 'PASS'])).toBe(
      'test test/fix test/fix/deeper test/fix test',
    );
    // `deeper` is used up: its `next` is what follows the outermost parent.
    expect(roadOf(pipeline, ['FIX', 'FIX', 'PASS', 'FIX'])).toBe(
      'test test/fix test/fix/deeper test/fix after',
    );
  });
});

describe('the breaker', () => {
  const lone = aPipeline(aStep('one'), aStep('two', { max: 9, onResult: { FIX: jump('self') } }));

  it('turns the third same result in a row into FAIL (#55)', () => {
    const { road, state } = play(lone, ['PASS', 'FIX', 'FIX', 'FIX']);
    expect(road).toEqual(['one', 'two', 'two', 'two']);
    expect(state).toEqual({ kind: 'aborted', path: ['two'], why: 'result', result: 'FAIL' });
  });

  it('lets the handler of FAIL have the broken result (#55)', () => {
    const pipeline = aPipeline(
      aStep('one', { max: 9, onResult: { FIX: jump('self'), FAIL: jump('next') } }),
      aStep('two'),
    );
    expect(roadOf(pipeline, ['FIX', 'FIX', 'FIX'])).toBe('one one one two');
  });

  it('starts to count anew after another result (#55)', () => {
    expect(play(lone, ['PASS', 'FIX', 'FIX', 'UNKNOWN', 'FIX', 'FIX']).state.kind).toBe('at');
  });

  it.each(['PASS', 'FIX'])(
    'starts to count anew after an inline handler ended with %s (#55)',
    (end) => {
      const audit = aStep('audit', { max: 9, onResult: { FIX: inline('audit-fix', { max: 3 }) } });
      const results = ['FIX', end, 'FIX', end, 'FIX', end];
      expect(play(aPipeline(audit), results).state).toMatchObject({ kind: 'at', path: ['audit'] });
    },
  );

  it('counts on when the inline handler is used up and did not run (#55)', () => {
    const audit = aStep('audit', {
      max: 9,
      onResult: { FIX: inline('audit-fix', { max: 1, onMax: 'self' }) },
    });
    const { state } = play(aPipeline(audit), ['FIX', 'PASS', 'FIX', 'FIX', 'FIX']);
    expect(state).toMatchObject({ kind: 'aborted', result: 'FAIL' });
  });

  it('fails after three times UNKNOWN in a row (#82)', () => {
    expect(roadOf(lone, ['UNKNOWN', 'UNKNOWN'])).toBe('one one one');
    expect(play(lone, ['UNKNOWN', 'UNKNOWN', 'UNKNOWN']).state).toMatchObject({
      kind: 'aborted',
      result: 'FAIL',
    });
    expect(play(lone, ['UNKNOWN', 'UNKNOWN', 'PASS']).state).toMatchObject({ path: ['two'] });
  });

  it('tells the result that counts before the step is left (#55)', () => {
    const { state } = play(lone, ['PASS', 'FIX', 'FIX']);
    if (state.kind !== 'at') throw new Error('the pipeline has ended');
    expect([judge(state, 'FIX'), judge(state, 'UNKNOWN')]).toEqual(['FAIL', 'UNKNOWN']);
  });

  it('stops a step without max whose other results never end (#51)', () => {
    // `two` can give FIX although its agent does not: a commit was refused.
    const pipeline = aPipeline(aStep('one', { max: 1 }), aStep('two'));
    let state = begin(pipeline, CONTEXT);
    for (let turn = 0; state.kind === 'at' && turn < 100; turn += 1)
      state = advance(pipeline, CONTEXT, state, turn % 2 ? 'FIX' : 'UNKNOWN');
    expect(state).toMatchObject({ kind: 'aborted', path: ['two'], why: 'exhausted' });
  });
});

describe('steps behind a switch', () => {
  const pipeline = aPipeline(aStep('plan', { enabledBy: 'PLAN', max: 1 }), aStep('build'));

  it('are passed over and count no visit while it is off (#52)', () => {
    const { road, state } = play(pipeline, []);
    expect(road).toEqual(['build']);
    expect(state).toMatchObject({ visits: { build: 1 } });
  });

  it('run while it is on (#52)', () => {
    expect(roadOf(pipeline, ['PASS'], { context: { ...CONTEXT, enabled: ['PLAN'] } })).toBe(
      'plan build',
    );
  });

  it('lead back to the step that jumped to them (#52)', () => {
    expect(roadOf(pipeline, ['FIX'])).toBe('build build');
  });

  it('repair nothing while they are off: the result takes its usual way (#52)', () => {
    const repaired = aPipeline(
      aStep('code', { max: 2 }),
      aStep('audit', {
        max: 2,
        onMax: 'abort',
        onResult: { FIX: inline('fix', { enabledBy: 'FIXES' }) },
      }),
    );
    expect(roadOf(repaired, ['PASS', 'FIX'])).toBe('code audit code');
    const on = { context: { ...CONTEXT, enabled: ['FIXES'] } };
    expect(roadOf(repaired, ['PASS', 'FIX', 'PASS'], on)).toBe('code audit audit/fix audit');
  });

  it('complete a pipeline that has nothing else (#52)', () => {
    expect(begin(aPipeline(aStep('plan', { enabledBy: 'PLAN' })), CONTEXT)).toEqual({
      kind: 'completed',
    });
  });

  it.each<[string | undefined, boolean]>([
    [undefined, false],
    ['', false],
    ['false', false],
    ['FALSE', false],
    ['0', false],
    ['no', false],
    ['off', false],
    ['true', true],
    ['1', true],
    ['yes', true],
    ['anything', true],
  ])('are on or off by the value %p: %p (#52)', (value, isOn) => {
    expect(enabledVariables(pipeline, { PLAN: value })).toEqual(isOn ? ['PLAN'] : []);
  });
});

describe('places', () => {
  const pipeline = aPipeline(
    aStep('constructor', { onResult: { FIX: inline('fix') } }),
    aStep('two'),
  );

  it('begin at a named step without running the earlier ones', () => {
    expect(roadOf(pipeline, [], { from: 'two' })).toBe('two');
    expect(begin(pipeline, CONTEXT, 'finalization')).toEqual({ kind: 'completed' });
    expect(() => begin(pipeline, CONTEXT, 'three')).toThrow(
      'pipeline test has no step "three"; its steps are constructor, two',
    );
  });

  it('tell the unit and the step that follows, also inside a handler', () => {
    const { state } = play(pipeline, ['FIX']);
    if (state.kind !== 'at') throw new Error('the pipeline has ended');
    expect(unitAt(pipeline, state).id).toBe('fix');
    expect(nextStepId(pipeline, state)).toBe('two');
  });

  it('keep their counters when the state is stored and read again (#64)', () => {
    const { state } = play(pipeline, ['FIX', 'PASS', 'UNKNOWN']);
    expect(JSON.parse(JSON.stringify(state))).toEqual({
      kind: 'at',
      path: ['constructor'],
      visits: { constructor: 3, 'constructor/fix': 1 },
      repeats: { constructor: { result: 'UNKNOWN', times: 1 } },
    });
  });
});
