import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { checkCompletion } from '../../../activities/agent/completion.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';
import { withFolder } from '../../helpers/with-folder.ts';

const tags = { resultTag: 'result', validResults: ['PASS', 'FAIL'] };

async function check(
  kind: 'file-exists' | 'status-file',
  text: string | undefined,
  { said, final = false }: { said?: string; final?: boolean } = {},
) {
  return withFolder(async (folder) => {
    const file = path.join(folder, 'file.md');
    if (text !== undefined) await writeFile(file, text);
    return checkCompletion({ kind, path: file }, said, { ...tags, final });
  });
}

describe('a completion check', () => {
  it('by tag holds when a valid tag was said (#89)', async () => {
    const context = { ...tags, final: false };
    expect(await checkCompletion({ kind: 'result-tag' }, 'PASS', context)).toEqual({
      complete: true,
      result: 'PASS',
    });
    expect(await checkCompletion({ kind: 'result-tag' }, undefined, context)).toEqual({
      complete: false,
    });
  });

  it('by file holds when the file has content (#89)', async () => {
    expect(await check('file-exists', 'a plan', { said: 'FAIL' })).toEqual({
      complete: true,
      result: 'FAIL',
    });
    expect(await check('file-exists', '')).toEqual({ complete: false });
    expect(await check('file-exists', undefined)).toEqual({ complete: false });
  });

  it.each<[string, string | undefined, { said?: string; final?: boolean }, object]>([
    [
      'holds when no item is open (#89)',
      '- [x] a\n- [*] b\n',
      {},
      { complete: true, result: 'PASS' },
    ],
    ['does not hold while an item is open (#89)', '- [x] a\n  - [ ] b\n', {}, { complete: false }],
    [
      'does not believe who says that all is done',
      '- [ ] a\n',
      { said: 'PASS' },
      { complete: false },
    ],
    [
      "takes no tag of the board's words for the agent's (#80)",
      '## Description\n\n<result>FAIL</result>\n\n## Checklist\n\n- [x] say <result>FAIL</result>\n',
      {},
      { complete: true, result: 'PASS' },
    ],
    ['believes who gives up', '- [ ] a\n', { said: 'FAIL' }, { complete: false, result: 'FAIL' }],
    [
      'takes open items for a failure at the end (#86)',
      '- [ ] a\n',
      { final: true },
      { complete: false, result: 'FAIL' },
    ],
    [
      'prefers a tag in the file (#86)',
      '- [x] a\n<result>FAIL</result>\n',
      { said: 'PASS' },
      { complete: true, result: 'FAIL' },
    ],
    [
      'knows no result without a file (#86)',
      undefined,
      { said: 'PASS', final: true },
      { complete: false },
    ],
  ])('by checklist %s', async (_title, text, context, expected) => {
    expect(await check('status-file', text, context)).toEqual(expected);
  });
});

describe('a completion check of a path that is no file', () => {
  it.each<[string, (file: string) => Promise<unknown>]>([
    ['a folder', (file) => mkdir(file)],
    ['a pipe', (file) => promisify(execFile)('mkfifo', [file])],
    ['a device', (file) => symlink('/dev/zero', file)],
    ['a link that leads nowhere', (file) => symlink('/no/such/file', file)],
    ['a link to itself', (file) => symlink(file, file)],
  ])('does not hold, and does not wait: %s (#89)', async (_title, make) => {
    await withFolder(async (folder) => {
      const file = path.join(folder, 'file.md');
      await make(file);
      for (const kind of ['file-exists', 'status-file'] as const)
        expect(
          await checkCompletion({ kind, path: file }, undefined, { ...tags, final: true }),
        ).toEqual({ complete: false });
    });
  });
});

describe('a completion check with variables in its path', () => {
  const agent = (check: string, mode: string) => `---
type: test.checked
description: An agent of a test
required_paths: [workspace]
valid_results: [PASS, FIX, FAIL]
mode: ${mode}
completion_check: ${check}
---

<WIGGUM_SYSTEM_PROMPT>
You are {{step_id}}.
</WIGGUM_SYSTEM_PROMPT>

<WIGGUM_USER_PROMPT>
Do {{task_id}}.
</WIGGUM_USER_PROMPT>
`;

  const judged = async (
    world: AgentWorld,
    check: string,
    actions: string,
    { iteration = 0, mode = 'ralph_loop' } = {},
  ) => {
    const file = path.join(world.place.ralphDir, 'agents', 'test', 'checked.md');
    await writeFile(file, agent(check, mode));
    const script = await world.script(`agents: { audit: [[${actions}]] }`);
    const outcome = await world.run(
      world.turn({
        agent: 'test.checked',
        iteration,
        script,
        key: `audit-1/${iteration}-work-0`,
        sessionId: `1111111${iteration}-2222-4333-8444-555555555555`,
      }),
    );
    expect(outcome).toMatchObject({ kind: 'ok' });
    return { complete: outcome.complete, result: outcome.result };
  };

  it('looks for the file of this task and run (#89)', async () => {
    await withAgents(async (world) => {
      const check = 'file_exists:output/{{step_id}}/{{task_id}}-{{run_id}}.md';
      const made = path.join(world.place.workerDir, 'output/audit/AB-1-audit-1700000100.md');
      const write = `{ write: { path: "${made}", content: "%" } }, { no_result: true }`;
      expect(await judged(world, check, write.replace('%', ''))).toEqual({ complete: false });
      expect(await judged(world, check, write.replace('%', 'x'), { iteration: 1 })).toEqual({
        complete: true,
      });
      expect(await readFile(made, 'utf8')).toBe('x');
    });
  });

  it.each([0, 2])('holds after the very last iteration too: %i (#88)', async (iteration) => {
    await withAgents(async (world) => {
      const check = 'status_file:{{worker_dir}}/prd.md';
      expect(await judged(world, check, '{ tick_prd: all }', { iteration })).toEqual({
        complete: true,
        result: 'PASS',
      });
    });
  });

  it('takes open items for a failure after the last iteration only (#86, #88)', async () => {
    await withAgents(async (world) => {
      const check = 'status_file:{{worker_dir}}/prd.md';
      const nothing = '{ no_result: true }';
      expect(await judged(world, check, nothing, { iteration: 1 })).toEqual({ complete: false });
      expect(await judged(world, check, nothing, { iteration: 2 })).toEqual({
        complete: false,
        result: 'FAIL',
      });
    });
  });

  it.each([
    ['- [ ] open\\n<result>FIX</result>\\n', 'FIX'],
    ['- [ ] open\\n', 'FAIL'],
    ['- [x] done\\n', 'PASS'],
  ])('reads the result out of the status file: %s (#86)', async (content, result) => {
    await withAgents(async (world) => {
      const check = 'status_file:reports/{{task_id}}-status.md';
      const file = path.join(world.place.workerDir, 'reports', 'AB-1-status.md');
      const write = `{ write: { path: "${file}", content: "${content}" } }, { result: PASS }`;
      expect(await judged(world, check, write, { mode: 'once' })).toMatchObject({ result });
    });
  });

  it('knows no result where the status file is missing (#86)', async () => {
    await withAgents(async (world) => {
      const check = 'status_file:reports/{{task_id}}-status.md';
      expect(await judged(world, check, '{ result: PASS }', { mode: 'once' })).toEqual({
        complete: false,
      });
    });
  });
});
