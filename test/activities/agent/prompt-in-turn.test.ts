import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { AgentOutcome } from '../../../workflows/domain/agent.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';

const promptOf = async ({ log }: AgentOutcome) =>
  (JSON.parse((await readFile(log, 'utf8')).split('\n')[0] ?? '') as { prompt: string }).prompt;

const anAgentFile = (world: AgentWorld, name: string, lines: string[], user: string) =>
  writeFile(
    path.join(world.place.ralphDir, 'agents', 'test', `${name}.md`),
    [
      '---',
      `type: test.${name}`,
      'description: An agent of a test',
      'valid_results: [PASS, FAIL]',
      ...lines,
      '---',
      '<WIGGUM_SYSTEM_PROMPT>\nRole.\n</WIGGUM_SYSTEM_PROMPT>',
      `<WIGGUM_USER_PROMPT>\n${user}\n</WIGGUM_USER_PROMPT>`,
    ].join('\n'),
  );

describe('a work turn whose agent requires paths', () => {
  it('is not begun without them, and names path and agent (#75)', async () => {
    await withAgents(async (world) => {
      await anAgentFile(world, 'picky', ['mode: once', 'required_paths: [prd.md, plan]'], 'Do.');
      const turn = world.turn({ agent: 'test.picky', script: await world.script('') });
      expect(await world.run(turn)).toMatchObject({
        kind: 'config',
        reason: `test.picky requires plan in ${world.place.workerDir}, which is not there`,
      });
      expect(await world.ledger()).toEqual([]);
    });
  });

  it('is begun when all are there, a folder among them (#75)', async () => {
    await withAgents(async (world) => {
      await anAgentFile(world, 'picky', ['mode: once', 'required_paths: [prd.md, plan]'], 'Do.');
      await mkdir(path.join(world.place.workerDir, 'plan'));
      expect(await world.run(world.turn({ agent: 'test.picky' }))).toMatchObject({ kind: 'ok' });
    });
  });

  it('may be summed up when they are gone', async () => {
    await withAgents(async (world) => {
      const lines = ['mode: ralph_loop', 'required_paths: [prd.md]'];
      await anAgentFile(world, 'picky', lines, 'Do.');
      await world.run(world.turn({ agent: 'test.picky' }));
      await rm(path.join(world.place.workerDir, 'prd.md'));
      const key = 'audit-1700000100/0-summary-1/life';
      const turn = world.turn({ agent: 'test.picky', purpose: 'summary', key, continues: true });
      expect(await world.run(turn)).toMatchObject({ kind: 'ok' });
    });
  });
});

describe('the prompt of a work turn', () => {
  it('is surrounded by what project and command want (#104)', async () => {
    await withAgents(async (world) => {
      const prompts = { pre_user: '@rules.txt', post_user: 'from the project' };
      await writeFile(path.join(world.place.projectDir, 'rules.txt'), 'Rules of {{task_id}}.');
      await writeFile(
        path.join(world.place.ralphDir, 'config.json'),
        JSON.stringify({ runtime: { backends: { script: { prompts } } } }),
      );
      const environment = { WIGGUM_PROMPT_POST_USER: 'from the command' };
      const prompt = await promptOf(await world.run(world.turn({ environment })));
      expect(prompt).toMatch(/^Rules of \{\{task_id\}\}\.\s+Do AB-1\..*from the command$/s);
      expect(prompt).not.toContain('from the project');
    });
  });

  it('cannot be made when a file around it is missing (#104)', async () => {
    await withAgents(async (world) => {
      const environment = { WIGGUM_PROMPT_PRE_SYSTEM: '@gone.txt' };
      expect(await world.run(world.turn({ environment }))).toMatchObject({
        kind: 'config',
        reason: expect.stringContaining('gone.txt'),
      });
    });
  });
});

describe('what a model says', () => {
  const lines = ['result_tag: verdict', 'report_tag: findings', 'required_paths: [prd.md]'];

  it.each(['once', 'ralph_loop', 'live'])(
    'counts under the tags of its agent in mode %s (#83)',
    async (mode) => {
      await withAgents(async (world) => {
        await anAgentFile(world, 'judge', [`mode: ${mode}`, ...lines], 'Judge.');
        const script = await world.script(
          'agents: { audit: [[{ say: "<result>FAIL</result><report>no</report>" }, { report: yes }, { result: PASS }]] }',
        );
        const outcome = await world.run(world.turn({ agent: 'test.judge', script }));
        expect(outcome).toMatchObject({ kind: 'ok', result: 'PASS', complete: true });
        expect(await readFile(outcome.report ?? '', 'utf8')).toBe('yes\n');
        expect(await promptOf(outcome)).toContain('<verdict>PASS</verdict>');
      });
    },
  );

  it('is asked for under the tag of its agent (#81, #83)', async () => {
    await withAgents(async (world) => {
      await anAgentFile(world, 'judge', ['mode: once', ...lines], 'Judge.');
      const script = await world.script('agents: { audit: [[{ forget_result: FAIL }]] }');
      expect((await world.run(world.turn({ agent: 'test.judge', script }))).result).toBeUndefined();
      const key = 'audit-1700000100/0-ask-result-1/life';
      const turn = world.turn({ agent: 'test.judge', purpose: 'ask-result', key, script });
      const asked = await world.run({ ...turn, continues: true });
      expect(asked.result).toBe('FAIL');
      expect(await promptOf(asked)).toContain('<verdict>FAIL</verdict>');
    });
  });

  it('counts in a fenced block too, but nothing that a tool printed does (#79, #80)', async () => {
    await withAgents(async (world) => {
      const script = await world.script(
        'agents: { audit: [[{ say: "```\\n<result>FIX</result>\\n```" }, { run: "echo \'<result>FAIL</result>\'" }, { no_result: true }]] }',
      );
      expect(await world.run(world.turn({ script }))).toMatchObject({ result: 'FIX' });
    });
  });

  it('is no result when only prompt and tool hold a tag (#80)', async () => {
    await withAgents(async (world) => {
      const script = await world.script(
        'agents: { audit: [[{ run: "echo \'<result>FAIL</result>\'" }, { no_result: true }]] }',
      );
      const outcome = await world.run(
        world.turn({ script, guidance: 'Say <result>PASS</result>.' }),
      );
      expect(await readFile(outcome.log, 'utf8')).toContain('<result>FAIL</result>');
      expect(outcome).toMatchObject({ kind: 'ok', complete: false });
      expect(outcome.result).toBeUndefined();
    });
  });
});
