import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AgentDefinition } from '../../config/agent-definition.ts';
import { builtInAgent } from '../../config/built-in-agents.ts';
import { parsePipeline } from '../../config/pipeline-file.ts';
import { findRunProblems } from '../../config/pipeline-rules.ts';
import { answersOf } from '../../config/agent-plan.ts';
import { mergeConfig } from '../../config/project-config.ts';
import {
  advance,
  begin,
  unitAt,
  type PipelineContext,
  type PipelineState,
} from '../../workflows/domain/pipeline.ts';
import {
  findUnit,
  own,
  possibleResults,
  unitKey,
  unitsOf,
  type Pipeline,
  type ResultMappings,
  type Step,
} from '../../workflows/domain/steps.ts';

const IDS = ['a', 'b', 'constructor', 'd'];
const SWITCHES = ['ON', 'OFF'];
const RELATIVE = ['self', 'prev', 'next', 'abort'];

/** Agents that answer differently; two have mappings of their own. */
const AGENTS: Record<string, AgentDefinition> = Object.fromEntries(
  [
    anAgent('test.gate', ['PASS', 'FAIL', 'FIX', 'SKIP']),
    anAgent('test.quiet', ['PASS']),
    anAgent('test.lenient', ['PASS', 'FAIL'], { FAIL: 'next' }),
    anAgent('test.stubborn', ['PASS', 'FIX'], { FIX: 'self', UNKNOWN: 'prev' }),
    anAgent('test.open', ['PASS', 'DEFER'], { DEFER: 'prev' }),
  ].map((agent) => [agent.type, agent]),
);

const target = fc.constantFrom(...RELATIVE, ...IDS);

/** A step or handler as it stands in a file; many are bounded, or hardly a pipeline would be accepted. */
function unit(depth: number): fc.Arbitrary<object> {
  const jump = fc.record({ jump: target });
  const handler = depth === 0 ? jump : fc.oneof(jump, unit(depth - 1));
  const keys = {
    agent: fc.constantFrom(...Object.keys(AGENTS)),
    max: fc.constantFrom(0, 1, 2, 3),
    on_max: fc.oneof(fc.constantFrom('next', 'abort'), target),
    on_result: fc.dictionary(fc.constantFrom('PASS', 'FAIL', 'FIX', 'UNKNOWN', 'DEFER'), handler, {
      maxKeys: 2,
    }),
    enabled_by: fc.constantFrom(...SWITCHES),
    commit_after: fc.boolean(),
  };
  return fc.record(keys, { requiredKeys: ['agent', 'max'] });
}

const files: fc.Arbitrary<string> = fc
  .record({
    units: fc.array(unit(2), { minLength: 1, maxLength: IDS.length }),
    mapped: fc.option(target, { nil: undefined }),
  })
  .map(({ units, mapped }) => {
    let handlers = 0;
    const named = (value: Record<string, unknown>, id: string): object => ({
      ...value,
      id,
      on_result: Object.fromEntries(
        Object.entries(value['on_result'] ?? {}).map(([result, handler]) => [
          result,
          'agent' in handler
            ? named(handler as Record<string, unknown>, `h${(handlers += 1)}`)
            : (handler as object),
        ]),
      ),
    });
    const steps = units.map((step, index) =>
      named(step as Record<string, unknown>, IDS[index] ?? ''),
    );
    return JSON.stringify({
      steps,
      ...(mapped && { result_mappings: { FIX: { default_jump: mapped } } }),
    });
  });

const sources = { environment: {}, config: mergeConfig([]), pipeline: 'p.json' };

/** The pipeline of a file that loads; undefined when anything is wrong with it. */
function load(text: string): Pipeline | undefined {
  const { pipeline } = parsePipeline(text, 'p.json');
  return pipeline && findRunProblems({ pipeline, agents: AGENTS, sources }).length === 0
    ? pipeline
    : undefined;
}

const accepted = files.map(load).filter((pipeline) => pipeline !== undefined);

const contexts: fc.Arbitrary<PipelineContext> = fc.subarray(SWITCHES).map((enabled) => ({
  enabled,
  mappings: Object.fromEntries(
    Object.values(AGENTS).map(({ type, settings }) => [type, settings.resultMappings]),
  ),
}));

/** Which of the possible results comes at each turn; the list goes round. */
const choices = fc.array(fc.nat(9), { minLength: 1, maxLength: 40 });

/** Plays results that the agent at work can really give, until the end or absurdly long. */
function drive(
  pipeline: Pipeline,
  context: PipelineContext,
  turns: readonly number[],
): PipelineState[] {
  const states = [begin(pipeline, context)];
  for (let turn = 0; turn < 2000; turn += 1) {
    const state = states.at(-1);
    if (state?.kind !== 'at') break;
    const possible = resultsOf(unitAt(pipeline, state));
    const result = possible[(turns[turn % turns.length] ?? 0) % possible.length] ?? 'FAIL';
    states.push(advance(pipeline, context, state, result));
  }
  return states;
}

function resultsOf(step: Step): string[] {
  const agent = own(AGENTS, step.agent);
  return possibleResults(step, agent && answersOf(agent, step, sources));
}

const RUNS = { numRuns: 200 };

describe('any pipeline file that loads', () => {
  it('ends by its own bounds, whatever its agents answer and its switches say (#51)', () => {
    fc.assert(
      fc.property(accepted, contexts, choices, (pipeline, context, turns) => {
        const last = drive(pipeline, context, turns).at(-1);
        expect(last?.kind).not.toBe('at');
        if (last?.kind !== 'aborted' || last.why !== 'exhausted') return;
        // The ceiling of units without a bound is for refused commits and missing answers by turns.
        const unit = findUnit(pipeline, last.path);
        const isRefused =
          unit?.commitAfter && !own(AGENTS, unit.agent)?.validResults.includes('FIX');
        if (!isRefused) expect(unit?.max).toBeGreaterThan(0);
      }),
      RUNS,
    );
  });

  it('starts nothing more often than its max, and nothing that is off (#47, #50, #52)', () => {
    fc.assert(
      fc.property(accepted, contexts, choices, (pipeline, context, turns) => {
        const starts = drive(pipeline, context, turns).filter((state) => state.kind === 'at');
        for (const { path, step } of unitsOf(pipeline)) {
          const times = starts.filter((state) => unitKey(state.path) === unitKey(path)).length;
          if (step.max > 0) expect(times).toBeLessThanOrEqual(step.max);
          if (step.enabledBy && !context.enabled.includes(step.enabledBy)) expect(times).toBe(0);
        }
      }),
      RUNS,
    );
  });

  it('takes the same road for the same results (#47, #51)', () => {
    fc.assert(
      fc.property(accepted, contexts, choices, (pipeline, context, turns) => {
        const copy = JSON.parse(JSON.stringify(pipeline)) as Pipeline;
        expect(drive(copy, context, turns)).toEqual(drive(pipeline, context, turns));
      }),
      { numRuns: 50 },
    );
  });
});

describe('any text', () => {
  it('is read as a pipeline or refused, and never throws (#210)', () => {
    const damaged = fc
      .tuple(files, fc.nat(), fc.string({ maxLength: 3 }))
      .map(([text, at, piece]) => {
        const place = at % text.length;
        return `${text.slice(0, place)}${piece}${text.slice(place + piece.length)}`;
      });
    fc.assert(
      fc.property(fc.oneof(damaged, fc.json(), fc.string()), (text) => {
        const { pipeline, problems } = parsePipeline(text, 'p.json');
        expect(pipeline === undefined).toBe(problems.length > 0);
      }),
      RUNS,
    );
  });
});

function anAgent(
  type: string,
  validResults: string[],
  jumps: Readonly<Record<string, string>> = {},
): AgentDefinition {
  const resultMappings: ResultMappings = Object.fromEntries(
    Object.entries(jumps).map(([result, defaultJump]) => [
      result,
      { status: 'partial', exitCode: 0, defaultJump },
    ]),
  );
  const usual = builtInAgent('workflow.pr-merge');
  if (!usual) throw new Error('there is no agent to start from');
  return { ...usual, type, validResults, settings: { resultMappings } };
}
