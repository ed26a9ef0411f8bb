import { describe, expect, it } from '@jest/globals';
import { agentTypes } from '../../config/find-definitions.ts';
import { loadAgent, loadRun } from '../../config/load-definitions.ts';
import { withDefinitions } from '../helpers/with-definitions.ts';

const places = { ralphDir: '/nowhere/.ralph', environment: {} };
const run = (steps: object[]) => JSON.stringify({ name: 'test', steps });

describe('built-in agents', () => {
  it.each([
    ['workflow.git-sync-main', 'PASS FAIL'],
    ['workflow.git-commit-push', 'PASS FAIL'],
    ['workflow.pr-merge', 'PASS FAIL'],
    ['workflow.batch-wait-turn', 'PASS FAIL SKIP'],
    ['workflow.batch-signal-done', 'PASS'],
    ['workflow.batch-signal-failed', 'PASS'],
    ['system.task-worker', 'PASS FAIL FIX'],
  ])('include %s, which needs no file and no prompt (#183)', async (type, results) => {
    expect(await agentTypes(places)).toContain(type);
    const agent = await loadAgent(type, places);
    expect(agent).toMatchObject({ type, mode: 'built-in', systemPrompt: '', userPrompt: '' });
    expect(agent.validResults.join(' ')).toBe(results);
  });

  it('get their limits and mappings from agents.json like others (#98)', () =>
    withDefinitions(async ({ write, homed }) => {
      const own = { timeout_seconds: 77, result_mappings: { FAIL: { default_jump: 'next' } } };
      await write({
        'home/config/agents.json': JSON.stringify({ agents: { 'workflow.pr-merge': own } }),
      });
      const { settings } = await loadAgent('workflow.pr-merge', homed);
      expect(settings.own?.[0]?.limits).toMatchObject({ timeout_seconds: 77 });
      expect(settings.resultMappings).toMatchObject({ FAIL: { defaultJump: 'next' } });
    }));

  it("give way to a project's file of the same name (#66)", () =>
    withDefinitions(async ({ write, places: here }) => {
      await write({
        '.ralph/agents/workflow/pr-merge.md': [
          '---',
          'type: workflow.pr-merge',
          'description: Mine',
          'required_paths: [workspace]',
          'valid_results: [PASS]',
          'mode: once',
          '---',
          '<WIGGUM_SYSTEM_PROMPT>\nRole.\n</WIGGUM_SYSTEM_PROMPT>',
          '<WIGGUM_USER_PROMPT>\nTask.\n</WIGGUM_USER_PROMPT>',
        ].join('\n'),
      });
      expect(await loadAgent('workflow.pr-merge', here)).toMatchObject({
        mode: 'once',
        description: 'Mine',
      });
    }));

  it('can be steps and handlers, and suggest their names (#183)', () =>
    withDefinitions(async ({ write, places: here }) => {
      const merge = { id: 'merge', agent: 'workflow.pr-merge', max: 1 };
      const FAIL = { id: 'tell', agent: 'workflow.batch-signal-failed' };
      await write({ '.ralph/pipeline.json': run([{ ...merge, on_result: { FAIL } }]) });
      const { agents } = await loadRun({ taskId: 'AB-1' }, here);
      expect(Object.keys(agents)).toEqual(['workflow.pr-merge', 'workflow.batch-signal-failed']);
      await write({ '.ralph/pipeline.json': run([{ ...merge, agent: 'workflow.pr-merg' }]) });
      await expect(loadRun({ taskId: 'AB-1' }, here)).rejects.toThrow(
        'did you mean "workflow.pr-merge"?',
      );
    }));

  it('refuse the task run as a step of one, with its place (#183)', () =>
    withDefinitions(async ({ write, places: here }) => {
      await write({
        '.ralph/pipeline.json': run([{ id: 'all', agent: 'system.task-worker', max: 1 }]),
      });
      await expect(loadRun({ taskId: 'AB-1' }, here)).rejects.toMatchObject({
        code: 'PIPELINE_INVALID',
        message: expect.stringContaining(
          'steps[0].agent: system.task-worker is the task run itself; it cannot be a step',
        ) as unknown,
      });
    }));
});
