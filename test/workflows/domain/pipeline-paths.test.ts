import { describe, expect, it } from '@jest/globals';
import {
  endlessCircles,
  unreachableSteps,
  type AnswersAt,
} from '../../../workflows/domain/pipeline-paths.ts';
import type { Answers, Pipeline } from '../../../workflows/domain/steps.ts';
import { aPipeline, aStep, inline, jump } from '../../helpers/a-pipeline.ts';

const PASSES: Answers = {
  validResults: ['PASS'],
  resultMappings: {},
  readonly: false,
  autoCommit: false,
};
const gives = (...validResults: string[]): Answers => ({ ...PASSES, validResults });

/** Every agent passes, but for those that are named. */
const agents =
  (others: Record<string, Answers> = {}): AnswersAt =>
  ({ agent }) =>
    others[agent] ?? PASSES;

describe('endlessCircles', () => {
  it.each<[string, Pipeline, string[]]>([
    ['accepts a straight line', aPipeline(aStep('a'), aStep('b')), []],
    [
      'finds a bounded step that leads back to an unbounded one',
      aPipeline(
        aStep('a', { max: 2, onResult: { PASS: jump('b') } }),
        aStep('b', { onResult: { PASS: jump('a') } }),
      ),
      ['b a'],
    ],
    [
      'accepts the same when the bounded step ends the circle',
      aPipeline(
        aStep('a', { max: 2, onMax: 'abort', onResult: { PASS: jump('b') } }),
        aStep('b', { onResult: { PASS: jump('a') } }),
      ),
      [],
    ],
    [
      'accepts a circle of bounded steps only',
      aPipeline(
        aStep('a', { max: 2, onMax: 'b' }),
        aStep('b', { max: 1, onMax: 'a', onResult: { PASS: jump('a') } }),
      ),
      [],
    ],
    [
      'finds a step that repeats itself',
      aPipeline(aStep('a', { onResult: { FIX: jump('self') } })),
      ['a'],
    ],
    [
      'finds UNKNOWN handled by a jump back, which nothing counts',
      aPipeline(aStep('a', { onResult: { UNKNOWN: jump('self') } })),
      ['a'],
    ],
    [
      'finds an unbounded handler under an unbounded step',
      aPipeline(aStep('a', { onResult: { FIX: inline('fix') } })),
      ['a a/fix'],
    ],
    [
      'accepts an unbounded handler under a bounded step',
      aPipeline(aStep('a', { max: 2, onResult: { FIX: inline('fix') } })),
      [],
    ],
    [
      'accepts a bounded handler under an unbounded step',
      aPipeline(aStep('a', { onResult: { FIX: inline('fix', { max: 2 }) } })),
      [],
    ],
    [
      'finds a bounded handler whose on_max leads back to an unbounded step',
      aPipeline(aStep('a', { onResult: { FIX: inline('fix', { max: 2, onMax: 'self' }) } })),
      ['a a/fix'],
    ],
    [
      'finds a handler of a handler that leads back',
      aPipeline(
        aStep('a', { max: 1 }),
        aStep('b', {
          onResult: {
            FIX: inline('fix', { max: 1, onMax: 'prev', onResult: { FIX: inline('deeper') } }),
          },
        }),
      ),
      ['b b/fix a'],
    ],
    [
      'finds a way back through a step that is switched off',
      aPipeline(
        aStep('a', { max: 1, onMax: 'abort', enabledBy: 'A' }),
        aStep('b', { onResult: { FAIL: jump('a') } }),
      ),
      ['b'],
    ],
    [
      'names each circle once',
      aPipeline(aStep('a'), aStep('b', { onResult: { FAIL: jump('a') } })),
      ['a b'],
    ],
  ])('%s (#51)', (_title, pipeline, circles) => {
    expect(endlessCircles(pipeline, agents()).map((circle) => circle.join(' '))).toEqual(circles);
  });

  it('follows the default jump of each result that the agent can give (#51)', () => {
    const pipeline = aPipeline(aStep('a'), aStep('b'));
    expect(endlessCircles(pipeline, agents({ 'test.b': gives('PASS', 'FIX') }))).toEqual([
      ['a', 'b'],
    ]);
  });

  it('follows mappings of the pipeline and of the agent (#51)', () => {
    const pipeline = aPipeline(aStep('a'), aStep('b'));
    const mapping = { AGAIN: { status: 'partial', exitCode: 0, defaultJump: 'self' } } as const;
    const again = { ...gives('PASS', 'AGAIN'), resultMappings: mapping };
    const plain = agents({ 'test.b': gives('PASS', 'AGAIN') });
    expect(endlessCircles(pipeline, agents({ 'test.b': again }))).toEqual([['b']]);
    expect(endlessCircles({ ...pipeline, resultMappings: mapping }, plain)).toEqual([['b']]);
    expect(endlessCircles(pipeline, plain)).toEqual([]);
  });

  it('takes UNKNOWN into account where it does not repeat the step (#51)', () => {
    const to = (defaultJump: string) => ({
      ...aPipeline(aStep('a'), aStep('b')),
      resultMappings: { UNKNOWN: { status: 'unknown', exitCode: 1, defaultJump } as const },
    });
    expect(endlessCircles(to('a'), agents())).toEqual([['a'], ['b', 'a']]);
    expect(endlessCircles(to('self'), agents())).toEqual([]);
  });

  it('takes FAIL into account, which every agent can end with (#51)', () => {
    const mapping = { FAIL: { status: 'failure', exitCode: 10, defaultJump: 'self' } } as const;
    const pipeline = { ...aPipeline(aStep('a')), resultMappings: mapping };
    expect(endlessCircles(pipeline, agents())).toEqual([['a']]);
  });

  describe('with commits that are refused', () => {
    const to = (defaultJump: string) => ({
      FIX: { status: 'partial', exitCode: 0, defaultJump } as const,
    });
    const commits = aPipeline(aStep('a', { commitAfter: true }));
    const mapped = { ...commits, resultMappings: to('self') };

    it('takes FIX into account where a file says where it leads (#51)', () => {
      const ofAgent = agents({ 'test.a': { ...PASSES, resultMappings: to('self') } });
      expect(endlessCircles(mapped, agents())).toEqual([['a']]);
      expect(endlessCircles(commits, ofAgent)).toEqual([['a']]);
    });

    it('takes FIX into account where the settings of an agent make it commit (#51)', () => {
      const pipeline = { ...aPipeline(aStep('a')), resultMappings: to('self') };
      const auto = agents({ 'test.a': { ...PASSES, autoCommit: true } });
      expect(endlessCircles(pipeline, agents())).toEqual([]);
      expect(endlessCircles(pipeline, auto)).toEqual([['a']]);
    });

    it('takes no FIX of a readonly agent into account, whose work is undone (#51)', () => {
      const readonly = agents({ 'test.a': { ...PASSES, readonly: true } });
      expect(endlessCircles(mapped, readonly)).toEqual([]);
    });

    it('leaves FIX to the breaker where no file says anything of it (#51, #55)', () => {
      expect(endlessCircles(commits, agents())).toEqual([]);
      expect(endlessCircles(commits, agents({ 'test.a': gives('PASS', 'FIX') }))).toEqual([['a']]);
    });
  });
});

describe('unreachableSteps', () => {
  it('names steps that no result leads to (#60)', () => {
    const pipeline = aPipeline(
      aStep('a', { onResult: { PASS: jump('c') } }),
      aStep('b'),
      aStep('c'),
    );
    expect(unreachableSteps(pipeline, agents())).toEqual(['b']);
  });

  it('counts ways through handlers, on_max and switched-off steps (#60)', () => {
    const pipeline = aPipeline(
      aStep('a', { max: 1, onMax: 'b', onResult: { PASS: jump('c') } }),
      aStep('b', { enabledBy: 'B', onResult: { PASS: jump('abort') } }),
      aStep('c', { onResult: { FAIL: inline('fix', { onResult: { PASS: jump('d') } }) } }),
      aStep('d'),
    );
    expect(unreachableSteps(pipeline, agents())).toEqual([]);
  });

  it('counts the way back of a commit that is refused (#60)', () => {
    const steps = (commitAfter: boolean) =>
      aPipeline(
        aStep('a', { onResult: { PASS: jump('c') } }),
        aStep('b'),
        aStep('c', { commitAfter }),
      );
    expect(unreachableSteps(steps(false), agents())).toEqual(['b']);
    expect(unreachableSteps(steps(true), agents())).toEqual([]);
  });
});
