import { describe, expect, it } from '@jest/globals';
import { describeProblem, type AgentDefinition } from '../../config/agent-definition.ts';
import { builtInAgent } from '../../config/built-in-agents.ts';
import { parsePipeline } from '../../config/pipeline-file.ts';
import { findRunNotices, findRunProblems } from '../../config/pipeline-rules.ts';
import { mergeConfig } from '../../config/project-config.ts';
import {
  enabledVariables,
  jumpAfter,
  unitsOf,
  type Pipeline,
  type ResultMappings,
} from '../../workflows/domain/steps.ts';

const usual = builtInAgent('workflow.pr-merge');
const anAgent = (type: string, validResults: string[], resultMappings: ResultMappings = {}) =>
  ({ ...usual, type, validResults, settings: { resultMappings } }) as AgentDefinition;
const AGENTS = {
  'test.gate': anAgent('test.gate', ['PASS', 'FIX', 'SKIP']),
  'test.fix': anAgent('test.fix', ['PASS', 'FIX']),
};

const step = (id: string, more: object = {}) => ({ id, agent: 'test.gate', ...more });
const fix = (id: string, more: object = {}) => ({ id, agent: 'test.fix', ...more });
const jump = (to: string) => ({ jump: to });

function parse(...steps: object[]): Pipeline {
  const { pipeline, problems } = parsePipeline(JSON.stringify({ steps }), 'p.json');
  if (!pipeline) throw new Error(problems.map(describeProblem).join('\n'));
  return pipeline;
}
const sources = { environment: {}, config: mergeConfig([]), pipeline: 'p.json' };
const problemsOf = (...steps: object[]) =>
  findRunProblems({ pipeline: parse(...steps), agents: AGENTS, sources }).map(describeProblem);

describe('a pipeline that could run for ever', () => {
  it.each<[string, object[], string]>([
    [
      'by FIX, which leads back to the step before',
      [step('a'), step('b')],
      'a → a; give a "max" to a, or end the circle with on_max',
    ],
    [
      'through a handler inside a handler',
      [
        step('a', {
          max: 1,
          on_max: 'abort',
          on_result: {
            FIX: fix('one', {
              on_result: { FIX: fix('two', { on_result: { PASS: jump('self') } }) },
            }),
          },
        }),
      ],
      'a/one → a/one/two → a/one; give a "max" to a/one, a/one/two',
    ],
    [
      'through the on_max of a handler inside a handler',
      [
        step('a', {
          max: 1,
          on_result: {
            FIX: fix('one', {
              on_result: { FIX: fix('two', { max: 1, on_max: 'self' }), PASS: jump('next') },
            }),
          },
        }),
      ],
      'a/one → a/one/two → a/one; give a "max" to a/one',
    ],
    [
      'through a handler that is switched off',
      [
        step('a', {
          on_result: {
            PASS: jump('abort'),
            FIX: jump('abort'),
            SKIP: fix('off', { max: 1, on_max: 'abort', enabled_by: 'X' }),
          },
        }),
        step('b', { on_result: { PASS: jump('a'), FIX: jump('abort'), SKIP: jump('abort') } }),
      ],
      'a → b → a; give a "max" to a, b',
    ],
  ])('%s is refused with its steps (#51)', (_title, steps, message) => {
    expect(problemsOf(...steps).join('\n')).toContain(`could run for ever: ${message}`);
  });

  it('is let pass when each circle has a bound that leads out (#51)', () => {
    const inner = fix('two', { max: 2, on_max: 'abort' });
    const steps = [
      step('a', { max: 3 }),
      step('b', { max: 2, on_result: { FIX: fix('one', { on_result: { FIX: inner } }) } }),
    ];
    expect(problemsOf(...steps)).toEqual([]);
  });
});

describe('result mappings', () => {
  const to = (target: string) => ({ status: 'partial', exitCode: 0, defaultJump: target }) as const;

  it('of the pipeline stand over those of the agent and the defaults (#45)', () => {
    const plain = parse(step('a', { max: 1 }));
    const mapped = { ...plain, resultMappings: { FIX: to('next') } };
    const [first] = unitsOf(plain);
    if (!first) throw new Error('a pipeline without a step');
    expect(jumpAfter(plain, first, 'FIX')).toBe('prev');
    expect(jumpAfter(plain, first, 'FIX', { FIX: to('self') })).toBe('self');
    expect(jumpAfter(mapped, first, 'FIX', { FIX: to('self') })).toBe('next');
    expect(jumpAfter(plain, first, 'constructor')).toBe('abort');
  });

  it('are an open set: a name of one’s own needs a meaning, inherited names have none (#67)', () => {
    const agents = { 'test.gate': anAgent('test.gate', ['PASS', 'DEFER']) };
    const run = (mappings: ResultMappings) =>
      findRunProblems({
        pipeline: { ...parse(step('a')), resultMappings: mappings },
        agents,
        sources,
      });
    expect(run({})[0]?.message).toContain('DEFER is neither PASS, FAIL, FIX or SKIP, nor mapped');
    expect(run({ DEFER: to('abort') })).toEqual([]);
  });
});

describe('switches', () => {
  it('of steps and of handlers at any depth are read when a run starts (#52)', () => {
    const inner = fix('two', { enabled_by: 'INNER' });
    const FIX = fix('one', { enabled_by: 'MIDDLE', on_result: { FIX: inner } });
    const pipeline = parse(step('a', { enabled_by: 'OUTER', on_result: { FIX } }));
    const all = { OUTER: 'yes', MIDDLE: '1', INNER: 'on' };
    expect(enabledVariables(pipeline, all)).toEqual(['OUTER', 'MIDDLE', 'INNER']);
    expect(enabledVariables(pipeline, { OUTER: 'off', MIDDLE: ' No ' })).toEqual([]);
  });
});

describe('handlers that wait in vain', () => {
  const agents = { 'test.build': anAgent('test.build', ['PASS']) };
  const noticesOf = (build: object, config = mergeConfig([])) =>
    findRunNotices({
      pipeline: parse({ id: 'build', agent: 'test.build', max: 1, ...build }),
      agents,
      sources: { ...sources, config },
    }).map(describeProblem);

  it('are noted, not those of results that every agent can end with', () => {
    const on_result = { DEFER: jump('abort'), UNKNOWN: jump('abort'), FAIL: jump('abort') };
    expect(noticesOf({ on_result })).toEqual([
      'p.json: step build: on_result.DEFER never happens: test.build gives PASS',
    ]);
  });

  const always = mergeConfig([
    { file: 'config.json', values: { agents: { 'test.build': { auto_commit: true } } } },
  ]);
  it.each<[string, object, ReturnType<typeof mergeConfig>, boolean]>([
    ['does not commit', {}, mergeConfig([]), false],
    ['commits after', { commit_after: true }, mergeConfig([]), true],
    ['commits by its config', { config: { auto_commit: true } }, mergeConfig([]), true],
    ['commits by the settings of the project', {}, always, true],
    ['is told not to by its config', { config: { auto_commit: false } }, always, false],
    ['is readonly', { commit_after: true, readonly: true }, always, false],
  ])('count FIX of a refused commit: the step %s (#54)', (_title, build, config, isPossible) => {
    const notices = noticesOf({ ...build, on_result: { FIX: jump('abort') } }, config);
    expect(notices).toHaveLength(isPossible ? 0 : 1);
  });
});

describe('a mapping of agents.json', () => {
  const stray = { FIX: { status: 'partial', exitCode: 0, defaultJump: 'nowhere' } } as const;
  const agents = { 'test.build': anAgent('test.build', ['PASS'], stray) };
  const problemsWith = (build: object) =>
    findRunProblems({
      pipeline: parse({ id: 'build', agent: 'test.build', max: 1, ...build }),
      agents,
      sources,
    }).map(describeProblem);

  it('must lead somewhere wherever its result can come, also of a refused commit (#60)', () => {
    expect(problemsWith({})).toEqual([]);
    expect(problemsWith({ commit_after: true })).toEqual([
      'agents.json: agents.test.build.result_mappings: FIX leads to "nowhere", and pipeline unnamed has no such step (step build)',
    ]);
  });

  it('must lead somewhere where a handler in its place can be off (#52, #60)', () => {
    const mend = { id: 'mend', agent: 'test.build', max: 1 };
    const withHandler = (more: object) =>
      problemsWith({ commit_after: true, on_result: { FIX: { ...mend, ...more } } });
    expect(withHandler({})).toEqual([]);
    expect(withHandler({ enabled_by: 'X' })).toHaveLength(1);
  });
});
