import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadAgent, loadRun } from '../../config/load-definitions.ts';
import type { WiggumError } from '../../workflows/domain/errors.ts';
import { withDefinitions } from '../helpers/with-definitions.ts';

const caught = (promise: Promise<unknown>): Promise<WiggumError> =>
  promise.then(
    () => {
      throw new Error('nothing was refused');
    },
    (error: unknown) => error as WiggumError,
  );

const agent = (type: string, more = '', results = '[PASS, FAIL]') =>
  [
    '---',
    `type: ${type}`,
    'description: A test',
    'required_paths: [workspace]',
    `valid_results: ${results}`,
    'mode: once',
    ...(more ? [more] : []),
    '---',
    '<WIGGUM_SYSTEM_PROMPT>\nRole.\n</WIGGUM_SYSTEM_PROMPT>',
    '<WIGGUM_USER_PROMPT>\nTask.\n</WIGGUM_USER_PROMPT>',
  ].join('\n');
const pipeline = (name: string, ...steps: object[]) => JSON.stringify({ name, steps });
const step = (id: string, more: object = {}) => ({ id, agent: 'test.one', ...more });

describe('loadAgent', () => {
  it('takes the project before the installation before the shipped agent (#66)', () =>
    withDefinitions(async ({ write, places, homed }) => {
      const type = 'engineering.security-audit';
      const shipped = await loadAgent(type, places);
      expect(shipped.source).toMatch(/config\/agents\/engineering\/security-audit\.md$/);
      await write({ 'home/lib/agents/engineering/security-audit.md': agent(type) });
      expect((await loadAgent(type, places)).source).toBe(shipped.source);
      expect((await loadAgent(type, homed)).source).toMatch(/home\/lib\/agents/);
      await write({ '.ralph/agents/engineering/security-audit.md': agent(type) });
      expect((await loadAgent(type, homed)).source).toMatch(/\.ralph\/agents/);
    }));

  it.each([
    ['general.task-summarizer', 'system.task-summarizer'],
    ['general.documentation-writer', 'product.documentation-writer'],
    ['system.task-executor', 'engineering.software-engineer'],
  ])('finds %s under its name of today (#183)', (old, now) =>
    withDefinitions(async ({ places }) => {
      expect((await loadAgent(old, places)).type).toBe(now);
    }),
  );

  it("takes a project's file of an old name before the shipped agent (#183)", () =>
    withDefinitions(async ({ write, places }) => {
      await write({
        '.ralph/agents/general/task-summarizer.md': agent('general.task-summarizer'),
      });
      const { type } = await loadAgent('general.task-summarizer', places);
      expect(type).toBe('general.task-summarizer');
    }));

  it('names what it did not find and what was probably meant (#66)', () =>
    withDefinitions(async ({ places }) => {
      expect(await caught(loadAgent('engineering.sofware-engineer', places))).toMatchObject({
        code: 'AGENT_MISSING',
        message:
          'there is no agent "engineering.sofware-engineer"; did you mean "engineering.software-engineer"?',
      });
      expect((await caught(loadAgent('../../secret', places))).code).toBe('AGENT_MISSING');
    }));

  it('refuses a broken file with all of its faults (#67)', () =>
    withDefinitions(async ({ write, places }) => {
      await write({ '.ralph/agents/test/one.md': agent('test.one', 'readonly: perhaps', '[]') });
      const error = await caught(loadAgent('test.one', places));
      expect(error.code).toBe('AGENT_INVALID');
      expect(error.message.split('\n')).toEqual([
        expect.stringContaining('one.md:5: valid_results: must not be empty'),
        expect.stringContaining('one.md:7: readonly: expected true or false'),
      ]);
    }));

  it('refuses a type that is not the one of its place (#67)', () =>
    withDefinitions(async ({ write, places }) => {
      await write({ '.ralph/agents/test/one.md': agent('test.two') });
      expect((await caught(loadAgent('test.one', places))).message).toContain(
        'type: is "test.two", and the file\'s place makes it test.one',
      );
    }));

  it('says that an agent in code is not run yet', () =>
    withDefinitions(async ({ write, places }) => {
      await write({ '.ralph/agents/test/one.sh': '#!/usr/bin/env bash\n' });
      expect(await caught(loadAgent('test.one', places))).toMatchObject({
        code: 'AGENT_INVALID',
        message: expect.stringContaining('agents in code are not run yet') as unknown,
      });
    }));

  it('merges agents.json of the installation over ours, agent over defaults (#98, #201)', () =>
    withDefinitions(async ({ write, homed }) => {
      const own = { max_turns: 11, result_mappings: { FIX: { default_jump: 'self' } } };
      const defaults = {
        max_iterations: 3,
        result_mappings: { SKIP: { default_jump: 'abort' }, FIX: { default_jump: 'next' } },
      };
      await write({
        'home/config/agents.json': JSON.stringify({
          agents: { 'engineering.security-audit': own },
          defaults,
        }),
        '.ralph/agents/test/one.md': agent('test.one'),
      });
      expect((await loadAgent('engineering.security-audit', homed)).settings).toMatchObject({
        own: [
          { key: 'agents.engineering.security-audit', limits: { max_turns: 11 } },
          { limits: { max_iterations: 8, max_turns: 60, timeout_seconds: 2400 } },
        ],
        resultMappings: { FIX: { defaultJump: 'self' }, SKIP: { defaultJump: 'abort' } },
      });
      expect((await loadAgent('test.one', homed)).settings).toMatchObject({
        own: [],
        defaults: [{ key: 'defaults', limits: { max_iterations: 3 } }, { key: 'defaults' }],
      });
    }));

  it('refuses limits of agents.json out of range, with file, key and value (#102)', () =>
    withDefinitions(async ({ write, homed }) => {
      const limits = { max_iterations: 0, max_turns: 201, timeout_seconds: 59, auto_commit: 'x' };
      const more = { supervisor_interval: 21, max_restarts: 11 };
      await write({
        'home/config/agents.json': JSON.stringify({ agents: { 'a.b': { ...limits, ...more } } }),
      });
      const error = await caught(loadAgent('engineering.security-audit', homed));
      expect(error.code).toBe('CONFIG_INVALID');
      expect(
        error.message.split('\n').map((line) => line.replace(/^.*agents\.json:1: /, '')),
      ).toEqual([
        'agents.a.b.max_iterations: expected a whole number from 1 to 100, found 0',
        'agents.a.b.max_turns: expected a whole number from 1 to 200, found 201',
        'agents.a.b.timeout_seconds: expected a whole number from 60 to 86400, found 59',
        'agents.a.b.supervisor_interval: expected a whole number from 0 to 20, found 21',
        'agents.a.b.max_restarts: expected a whole number from 0 to 10, found 11',
        'agents.a.b.auto_commit: expected true or false, found "x"',
      ]);
    }));
});

describe('loadRun', () => {
  it('prefers the named pipeline to the task, project and default ones (#59, #201)', () =>
    withDefinitions(async ({ write, places, homed }) => {
      const load = async (name?: string, from = places) => {
        const wanted = { taskId: 'AB-1', ...(name !== undefined && { pipeline: name }) };
        return (await loadRun(wanted, from)).pipeline.name;
      };
      await write({ '.ralph/agents/test/one.md': agent('test.one') });
      expect(await load()).toBe('default');
      await write({ 'home/config/pipelines/default.json': pipeline('installed', step('a')) });
      expect([await load(), await load(undefined, homed)]).toEqual(['default', 'installed']);
      await write({ '.ralph/pipelines/default.json': pipeline('mine', step('a')) });
      expect(await load(undefined, homed)).toBe('mine');
      await write({ '.ralph/pipeline.json': pipeline('project', step('a')) });
      expect(await load()).toBe('project');
      await write({ '.ralph/pipelines/AB-1.json': pipeline('task', step('a')) });
      expect(await load()).toBe('task');
      expect([await load('fast'), await load('default')]).toEqual(['fast', 'mine']);
      await write({ '.ralph/pipelines/fast.json': pipeline('own fast', step('a')) });
      expect(await load('fast')).toBe('own fast');
    }));

  it.each(['fsat', '../pipeline', '.hidden'])('refuses the unknown name %p (#59)', (name) =>
    withDefinitions(async ({ places }) => {
      const error = await caught(loadRun({ taskId: 'AB-1', pipeline: name }, places));
      expect(error.code).toBe('PIPELINE_MISSING');
      expect(error.message).toMatch(/did you mean "fast"\?|there are .*\bdefault, .*\bfast\b/);
    }),
  );

  it('calls every agent by its name of today (#183)', () =>
    withDefinitions(async ({ write, places }) => {
      await write({
        '.ralph/pipeline.json': pipeline(
          'old',
          step('execution', { agent: 'system.task-executor', max: 1 }),
          step('docs', {
            agent: 'general.documentation-writer',
            max: 1,
            on_result: { SKIP: { agent: 'general.task-summarizer', id: 'sum' } },
          }),
        ),
      });
      const { pipeline: loaded, agents } = await loadRun({ taskId: 'AB-1' }, places);
      expect(loaded.steps.map((each) => each.agent)).toEqual([
        'engineering.software-engineer',
        'product.documentation-writer',
      ]);
      expect(loaded.steps[1]?.onResult['SKIP']).toMatchObject({
        step: { agent: 'system.task-summarizer' },
      });
      expect(Object.keys(agents)).toHaveLength(3);
    }));

  it('lists faults of the pipeline, missing and broken agents at once (#60)', () =>
    withDefinitions(async ({ write, places }) => {
      await write({
        '.ralph/agents/test/one.md': agent('test.one', 'readonly: perhaps'),
        '.ralph/pipeline.json': pipeline(
          'broken',
          step('a', { on_max: 'nowhere' }),
          step('a', { agent: 'test.none', on_result: { FIX: { agent: 'test.neither' } } }),
        ),
      });
      const error = await caught(loadRun({ taskId: 'AB-1' }, places));
      expect(error.code).toBe('PIPELINE_INVALID');
      expect(error.message.split('\n')).toEqual([
        expect.stringContaining('steps[0].on_max: there is no step "nowhere"'),
        expect.stringContaining('steps[1].id: the id "a" stands for step 1 already'),
        expect.stringContaining('steps[1].agent: there is no agent "test.none"'),
        expect.stringContaining('steps[1].on_result.FIX.agent: there is no agent "test.neither"'),
        expect.stringContaining('one.md:7: readonly: expected true or false'),
      ]);
    }));

  it('refuses a pipeline that could run for ever and names the steps (#51)', () =>
    withDefinitions(async ({ write, places }) => {
      await write({
        '.ralph/agents/test/one.md': agent('test.one'),
        '.ralph/pipeline.json': pipeline(
          'endless',
          step('a', { max: 2 }),
          step('b', { on_result: { PASS: { jump: 'a' } } }),
        ),
      });
      expect(await caught(loadRun({ taskId: 'AB-1' }, places))).toMatchObject({
        code: 'PIPELINE_INVALID',
        message: expect.stringMatching(
          /could run for ever: b → a → b; give a "max" to b/,
        ) as unknown,
      });
    }));

  it('says so of a pipeline also when the settings cannot be read (#51, #60)', () =>
    withDefinitions(async ({ write, places }) => {
      await write({
        '.ralph/config.json': '{',
        '.ralph/agents/test/one.md': agent('test.one', '', '[PASS, FIX]'),
        '.ralph/pipeline.json': pipeline('circle', step('a')),
      });
      const { code, message } = await caught(loadRun({ taskId: 'AB-1' }, places));
      expect([code, message]).toEqual([
        'PIPELINE_INVALID',
        expect.stringContaining('could run for ever: a → a'),
      ]);
    }));

  it('refuses a step that nothing leads to (#60)', () =>
    withDefinitions(async ({ write, places }) => {
      await write({
        '.ralph/agents/test/one.md': agent('test.one'),
        '.ralph/pipeline.json': pipeline(
          'gap',
          step('a', { on_result: { PASS: { jump: 'c' } } }),
          step('b'),
          step('c'),
        ),
      });
      expect((await caught(loadRun({ taskId: 'AB-1' }, places))).message).toContain(
        'step b: no result of an earlier step leads here',
      );
    }));

  it('wants a result of an own name mapped or handled (#67)', () =>
    withDefinitions(async ({ write, places }) => {
      const load = () => loadRun({ taskId: 'AB-1' }, places);
      await write({
        '.ralph/agents/test/one.md': agent('test.one', '', '[PASS, DEFER]'),
        '.ralph/pipeline.json': pipeline('own', step('a')),
      });
      expect((await caught(load())).message).toContain(
        'one.md: valid_results: DEFER is neither PASS, FAIL, FIX or SKIP, nor mapped, nor handled by step a of pipeline own',
      );
      const handled = step('a', { on_result: { DEFER: { jump: 'abort' } } });
      await write({ '.ralph/pipeline.json': pipeline('own', handled) });
      expect((await load()).pipeline.name).toBe('own');
      const DEFER = { status: 'unknown', exit_code: 1, default_jump: 'abort' };
      await write({
        '.ralph/pipeline.json': JSON.stringify({ result_mappings: { DEFER }, steps: [step('a')] }),
      });
      expect((await load()).pipeline.resultMappings).toHaveProperty('DEFER');
    }));

  it('names a file that cannot be read (#210)', () =>
    withDefinitions(async ({ dir, places }) => {
      await mkdir(path.join(dir, '.ralph', 'pipeline.json'), { recursive: true });
      expect((await caught(loadRun({ taskId: 'AB-1' }, places))).code).toBe('CONFIG_INVALID');
      await mkdir(path.join(dir, '.ralph', 'pipelines'), { recursive: true });
      await writeFile(path.join(dir, '.ralph', 'pipelines', 'AB-1.json'), '');
      expect(await caught(loadRun({ taskId: 'AB-1' }, places))).toMatchObject({
        code: 'PIPELINE_INVALID',
        message: expect.stringContaining('AB-1.json: the file is empty') as unknown,
      });
    }));

  it('refuses hooks that the settings do not register, with their place (#58)', () =>
    withDefinitions(async ({ write, places }) => {
      const hooks = { pre: ['lnit src'], post: ['lint', 'tell everybody'] };
      await write({
        '.ralph/agents/test/one.md': agent('test.one'),
        '.ralph/config.json': JSON.stringify({ hooks: { commands: { lint: ['npm', 'lint'] } } }),
        '.ralph/pipeline.json': pipeline(
          'hooked',
          step('a', { max: 1, hooks, on_result: { FAIL: step('fix', { hooks }) } }),
        ),
      });
      const error = await caught(loadRun({ taskId: 'AB-1' }, places));
      expect(error.code).toBe('PIPELINE_INVALID');
      const found = error.message.split('\n').map((line) => line.replace(/^.*json:1: /, ''));
      const register = 'register it in .ralph/config.json under hooks.commands';
      expect(found).toEqual([
        'steps[0].hooks.pre[0]: there is no hook "lnit"; did you mean "lint"?',
        `steps[0].hooks.post[1]: there is no hook "tell"; ${register}`,
        'steps[0].on_result.FAIL.hooks.pre[0]: there is no hook "lnit"; did you mean "lint"?',
        `steps[0].on_result.FAIL.hooks.post[1]: there is no hook "tell"; ${register}`,
      ]);
    }));

  it('refuses a mapping of agents.json that leads to no step of the pipeline (#60)', () =>
    withDefinitions(async ({ write, homed }) => {
      const FIX = { default_jump: 'repair' };
      await write({
        '.ralph/agents/test/one.md': agent('test.one', '', '[PASS, FIX]'),
        '.ralph/pipeline.json': pipeline('short', step('a', { max: 1 })),
        'home/config/agents.json': JSON.stringify({
          agents: { 'test.one': { result_mappings: { FIX } } },
        }),
      });
      expect((await caught(loadRun({ taskId: 'AB-1' }, homed))).message).toContain(
        'agents.test.one.result_mappings: FIX leads to "repair", and pipeline short has no such step',
      );
      const handled = step('a', { max: 1, on_result: { FIX: { jump: 'self' } } });
      await write({ '.ralph/pipeline.json': pipeline('short', handled) });
      expect((await loadRun({ taskId: 'AB-1' }, homed)).pipeline.name).toBe('short');
    }));
});
