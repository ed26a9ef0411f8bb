import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { endlessCircles } from '../../../workflows/domain/pipeline-paths.ts';
import { advance, begin, type PipelineState } from '../../../workflows/domain/pipeline.ts';
import {
  findUnit,
  own,
  unitsOf,
  type Answers,
  type Handler,
  type Pipeline,
  type Step,
} from '../../../workflows/domain/steps.ts';
import { aPipeline, aStep } from '../../helpers/a-pipeline.ts';

const IDS = ['a', 'b', 'constructor', 'd'];
const RESULTS = ['PASS', 'FAIL', 'FIX', 'SKIP', 'UNKNOWN', 'OTHER'];

const target = (ids: string[]) => fc.constantFrom('self', 'prev', 'next', 'abort', ...ids);

function stepOf(id: string, ids: string[], depth: number): fc.Arbitrary<Step> {
  const handler = (name: string): fc.Arbitrary<Handler> => {
    const jumps = target(ids).map((to): Handler => ({ kind: 'jump', to }));
    if (depth === 0) return jumps;
    const inline = stepOf(`${id}-${name.toLowerCase()}`, ids, depth - 1);
    return fc.oneof(
      jumps,
      inline.map(({ enabledBy: _, ...step }): Handler => ({ kind: 'inline', step })),
    );
  };
  // Two results are enough for the inner ones: what matters is how they lead back.
  const handled = depth === 2 ? RESULTS : ['FIX', 'PASS'];
  return fc
    .record({
      max: fc.constantFrom(0, 0, 1, 2, 3),
      onMax: target(ids),
      onResult: fc.record(Object.fromEntries(handled.map((name) => [name, handler(name)])), {
        requiredKeys: [],
      }),
      enabledBy: fc.option(fc.constantFrom('ON', 'OFF'), { nil: undefined }),
    })
    .map(({ enabledBy, onResult, ...change }) =>
      aStep(id, {
        ...change,
        onResult: onResult as Step['onResult'],
        ...(enabledBy !== undefined && { enabledBy }),
      }),
    );
}

const pipelines: fc.Arbitrary<Pipeline> = fc
  .integer({ min: 1, max: IDS.length })
  .chain((count) => {
    const ids = IDS.slice(0, count);
    return fc.tuple(...ids.map((id) => stepOf(id, ids, 2)));
  })
  .map((steps) => aPipeline(...steps));

/** What each unit's agent can give; OTHER only where something is done with it. */
const answers: Answers = {
  validResults: ['PASS', 'FIX', 'SKIP'],
  resultMappings: {},
  readonly: false,
  autoCommit: false,
};

const context = { enabled: ['ON'], mappings: {} };

/** Plays results, over and over, until the pipeline ends or has run absurdly long. */
function drive(pipeline: Pipeline, results: string[]): { states: PipelineState[] } {
  const states = [begin(pipeline, context)];
  for (let turn = 0; turn < 5000; turn += 1) {
    const state = states.at(-1);
    if (state?.kind !== 'at') break;
    states.push(advance(pipeline, context, state, results[turn % results.length] ?? 'PASS'));
  }
  return { states };
}

const sequences = fc.array(fc.constantFrom(...RESULTS), { minLength: 1, maxLength: 12 });

describe('any pipeline', () => {
  it('that is accepted ends under any sequence of results (#51)', () => {
    fc.assert(
      fc.property(pipelines, sequences, (pipeline, results) => {
        fc.pre(endlessCircles(pipeline, () => answers).length === 0);
        expect(drive(pipeline, results).states.at(-1)?.kind).not.toBe('at');
      }),
      { numRuns: 500 },
    );
  });

  it('that is accepted never needs the ceiling of steps without max (#51)', () => {
    fc.assert(
      fc.property(pipelines, sequences, (pipeline, results) => {
        fc.pre(endlessCircles(pipeline, () => answers).length === 0);
        const last = drive(pipeline, results).states.at(-1);
        if (last?.kind === 'aborted' && last.why === 'exhausted')
          expect(findUnit(pipeline, last.path)?.max).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });

  it('visits no unit more often than its max, accepted or not (#47, #50)', () => {
    fc.assert(
      fc.property(pipelines, sequences, (pipeline, results) => {
        const { states } = drive(pipeline, results);
        const last = states.findLast((state) => state.kind === 'at');
        for (const { path, step } of unitsOf(pipeline))
          if (step.max > 0)
            expect(own(last?.visits ?? {}, path.join('/')) ?? 0).toBeLessThanOrEqual(step.max);
      }),
    );
  });

  it('never runs a step that is switched off (#52)', () => {
    fc.assert(
      fc.property(pipelines, sequences, (pipeline, results) => {
        for (const state of drive(pipeline, results).states)
          if (state.kind === 'at')
            expect(findUnit(pipeline, state.path.slice(0, 1))?.enabledBy).not.toBe('OFF');
      }),
    );
  });

  it('takes the same road when its state is stored after each step (#64)', () => {
    fc.assert(
      fc.property(pipelines, sequences, (pipeline, results) => {
        const { states } = drive(pipeline, results.slice(0, 50));
        let stored = JSON.stringify(begin(pipeline, context));
        for (const [turn, state] of states.entries()) {
          expect(JSON.parse(stored)).toEqual(state);
          const result = results[turn % results.length] ?? 'PASS';
          const read = JSON.parse(stored) as PipelineState;
          stored = JSON.stringify(advance(pipeline, context, read, result));
        }
      }),
    );
  });
});
