import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkDefinitions } from '../../client/check-definitions.ts';
import { describeProblem, type DefinitionProblem } from '../../config/agent-definition.ts';
import { loadRun } from '../../config/load-definitions.ts';
import { withDefinitions } from '../helpers/with-definitions.ts';

const lines = (problems: DefinitionProblem[]) =>
  problems.map((problem) => describeProblem({ ...problem, file: path.basename(problem.file) }));

const agent = (type: string, more = '') =>
  [
    '---',
    `type: ${type}`,
    'description: A test',
    'required_paths: [workspace]',
    'valid_results: [PASS]',
    'mode: once',
    more,
    '---',
    '<WIGGUM_SYSTEM_PROMPT>\nRole.\n</WIGGUM_SYSTEM_PROMPT>',
    '<WIGGUM_USER_PROMPT>\nTask.\n</WIGGUM_USER_PROMPT>',
  ].join('\n');

describe('checkDefinitions', () => {
  it('finds nothing wrong and nothing idle in the shipped ones (#60)', () =>
    withDefinitions(async ({ places }) => {
      expect(await checkDefinitions(places)).toMatchObject({
        problems: [],
        notices: [],
        unwalked: [],
      });
    }));

  it('reports all pipelines and agents of the project at once (#60)', () =>
    withDefinitions(async ({ write, places }) => {
      const step = { id: 'a', agent: 'test.one', hooks: { pre: ['lint all'] } };
      await write({
        '.ralph/config.json': JSON.stringify({ hooks: { commands: { lint: ['true'] } } }),
        '.ralph/pipeline.json': '{"steps": [',
        '.ralph/pipelines/AB-1.json': JSON.stringify({ steps: [{ ...step, on_max: 'b' }] }),
        '.ralph/pipelines/AB-2.json': JSON.stringify({
          steps: [{ ...step, on_result: { FIX: { jump: 'abort' } } }],
        }),
        '.ralph/agents/test/one.md': agent('test.one'),
        '.ralph/agents/test/one.sh': '#!/usr/bin/env bash\n',
        '.ralph/agents/test/two.md': agent('test.two', 'readonly: perhaps'),
        '.ralph/agents/test/deep/three.md': agent('test.three'),
        '.ralph/agents/README.txt': 'no agent',
      });
      const { problems, notices } = await checkDefinitions(places);
      expect(lines(problems)).toEqual([
        expect.stringContaining('pipeline.json:1: this is not JSON'),
        'AB-1.json:1: steps[0].on_max: there is no step "b"; targets are self, prev, next, abort, a',
        'two.md:7: readonly: expected true or false, found "perhaps"',
      ]);
      expect(lines(notices)).toEqual(
        expect.arrayContaining([
          'AB-2.json: step a: on_result.FIX never happens: test.one gives PASS',
          'one.sh: has no effect yet: only the markdown file is read',
          expect.stringContaining('three.md: is never looked at'),
        ]),
      );
    }));

  it('checks a shipped pipeline with the agents that the project puts in its place (#66)', () =>
    withDefinitions(async ({ write, places }) => {
      await write({
        '.ralph/agents/product/plan-mode.md': agent('product.plan-mode', 'modes: once'),
      });
      expect(lines((await checkDefinitions(places)).problems)).toEqual([
        'plan-mode.md:7: modes: there is no such field; did you mean "mode"?',
      ]);
    }));

  it('wants results of an agent that no pipeline names to be mapped (#67)', () =>
    withDefinitions(async ({ write, homed }) => {
      const text = agent('test.one').replace('[PASS]', '[PASS, DEFER]');
      await write({ '.ralph/agents/test/one.md': text });
      expect(lines((await checkDefinitions(homed)).problems)).toEqual([
        expect.stringContaining('one.md: valid_results: DEFER is neither'),
      ]);
      const DEFER = { status: 'unknown', exit_code: 1, default_jump: 'abort' };
      await write({
        'home/config/agents.json': JSON.stringify({ defaults: { result_mappings: { DEFER } } }),
      });
      expect((await checkDefinitions(homed)).problems).toEqual([]);
    }));

  it('names limits that cannot be used, of the project and the environment (#102)', () =>
    withDefinitions(async ({ write, places }) => {
      await write({
        '.ralph/config.json': JSON.stringify({
          agents: { 'product.plan-mode': { max_turns: 500 } },
        }),
      });
      const environment = { WIGGUM_SECURITY_AUDIT_MAX_ITERATIONS: '0' };
      expect(lines((await checkDefinitions({ ...places, environment })).problems)).toEqual([
        'config.json:1: agents.product.plan-mode.max_turns: expected a whole number from 1 to 200, found 500',
        'environment: WIGGUM_SECURITY_AUDIT_MAX_ITERATIONS: expected a whole number from 1 to 100, found 0',
      ]);
    }));

  it('counts a file that cannot be read as one problem among others (#210)', () =>
    withDefinitions(async ({ dir, write, homed }) => {
      await mkdir(path.join(dir, '.ralph', 'pipeline.json'));
      await write({ 'home/config/agents.json': '[]', '.ralph/config.json': '{' });
      expect(lines((await checkDefinitions(homed)).problems)).toEqual([
        expect.stringContaining('config.json:1: this is not JSON'),
        expect.stringContaining('pipeline.json: the file cannot be read'),
        expect.stringContaining('agents.json: '),
      ]);
    }));

  it('names the settings that make hooks unknown, and goes on (#210)', () =>
    withDefinitions(async ({ write, places }) => {
      await write({
        '.ralph/config.json': '{"hooks": ',
        '.ralph/pipelines/AB-1.json': JSON.stringify({
          steps: [{ id: 'a', agent: 'product.plan-mode', hooks: { post: ['tell'] } }],
        }),
        '.ralph/pipelines/AB-2.json': '[]',
      });
      expect(lines((await checkDefinitions(places)).problems)).toEqual([
        expect.stringContaining('config.json:1: this is not JSON'),
        'AB-2.json:1: expected an object, found a list',
      ]);
    }));

  it('blames no agent for a result that a pipeline with other faults handles (#67)', () =>
    withDefinitions(async ({ write, places }) => {
      const one = { id: 'a', agent: 'test.one', on_result: { DEFER: { jump: 'abort' } }, max: -1 };
      await write({
        '.ralph/agents/test/one.md': agent('test.one').replace('[PASS]', '[PASS, DEFER]'),
        '.ralph/pipelines/AB-1.json': JSON.stringify({ steps: [one] }),
      });
      expect(lines((await checkDefinitions(places)).problems)).toEqual([
        'AB-1.json:1: steps[0].max: expected 0 (no limit) or more',
      ]);
    }));

  it('says which pipelines it could not follow, and counts what it read (#60)', () =>
    withDefinitions(async ({ write, places }) => {
      await write({
        '.ralph/config.json': '{}',
        '.ralph/agents/test/one.md': agent('test.one'),
        '.ralph/pipelines/right.json': JSON.stringify({ steps: [{ id: 'a', agent: 'test.one' }] }),
        '.ralph/pipelines/wrong.json': JSON.stringify({ steps: [{ id: 'a', agent: 'no.one' }] }),
      });
      const shipped = await checkDefinitions({ ...places, ralphDir: '/nowhere/.ralph' });
      const { unwalked, checked } = await checkDefinitions(places);
      expect(unwalked.map((file) => path.basename(file))).toEqual(['wrong.json']);
      expect(checked).toEqual({
        pipelines: { own: 2, installed: shipped.checked.pipelines.installed },
        agents: { own: 1, installed: shipped.checked.agents.installed },
        settings: 1,
      });
      expect(shipped.checked.agents.installed).toBeGreaterThan(20);
    }));

  it('tells why an agent is never looked at, and what is wrong inside (#67)', () =>
    withDefinitions(async ({ write, places }) => {
      await write({
        '.ralph/agents/test/check2.md': agent('test.check2', 'readonly: perhaps'),
        '.ralph/pipelines/own.json': JSON.stringify({ steps: [{ id: 'a', agent: 'test.check2' }] }),
      });
      const { problems, notices } = await checkDefinitions(places);
      expect(lines(problems)).toEqual([
        'own.json:1: steps[0].agent: there is no agent "test.check2": a type is category.name, in small letters and hyphens (no digits)',
      ]);
      expect(lines(notices)).toEqual([
        expect.stringMatching(/^check2\.md: is never looked at for its "2": .*no digits$/),
        'check2.md:7: readonly: expected true or false, found "perhaps"',
      ]);
    }));

  it('notes a pipeline whose name nobody can ask for (#59)', () =>
    withDefinitions(async ({ write, places }) => {
      const steps = [{ id: 'a', agent: 'product.plan-mode' }];
      await write({ '.ralph/pipelines/my Pipe.json': JSON.stringify({ steps }) });
      expect(lines((await checkDefinitions(places)).notices)).toEqual([
        expect.stringContaining('my Pipe.json: cannot be asked for'),
      ]);
      await expect(loadRun({ taskId: '', pipeline: 'my Pipe' }, places)).rejects.toThrow(
        /no pipeline "my Pipe"; there are (?!.*my Pipe)/,
      );
    }));

  it('notes keys of the settings that are nearly right', () =>
    withDefinitions(async ({ write, places }) => {
      await write({ '.ralph/config.json': '{"check": ["npm test"]}' });
      expect(lines((await checkDefinitions(places)).notices)).toEqual([
        'config.json:1: check: nobody reads this key; did you mean "checks"?',
      ]);
    }));
});
