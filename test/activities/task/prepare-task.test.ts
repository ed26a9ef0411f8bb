import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { prepareTask } from '../../../activities/task/prepare-task.ts';
import { recordTask } from '../../../activities/task/record-task.ts';
import { writeFailure } from '../../../activities/task/write-failure.ts';
import { aHost, aTaskInput } from '../../helpers/a-task.ts';
import { aBoard } from '../../helpers/a-board.ts';
import { withRepository, type TestProject } from '../../helpers/with-repository.ts';

const ODD_TITLE = 'Say "hi" to `$USER` \\n $(id) — naïve 日本語 🦆';

describe('prepareTask', () => {
  it('makes the worker folder with its parts, and the workspace (#184)', async () => {
    await inProject(async (project) => {
      const prepared = await prepareTask(aTaskInput(project), aHost(project));
      const { place } = prepared;
      expect(place).toEqual(project.place());
      expect((await readdir(place.workerDir)).sort()).toEqual(
        [
          'activity.jsonl',
          'checkpoints',
          'live_sessions',
          'logs',
          'output',
          'pipeline-config.json',
          'prd.md',
          'repo.git',
          'reports',
          'results',
          'summaries',
          'workspace',
        ].sort(),
      );
      expect(prepared).toMatchObject({
        branch: 'task/TASK-001-1700000000',
        base: await project.git(['rev-parse', 'main']),
        target: 'main',
        enabled: [],
        checks: [],
      });
    });
  });

  it('says that the task has started, once per start (#169)', async () => {
    await inProject(async (project) => {
      const input = aTaskInput(project);
      const { place } = await prepareTask(input, aHost(project));
      await prepareTask(input, aHost(project));
      const ended = { place, startedAt: '2026-01-01T00:00:00.000Z', result: 'FAIL', steps: [] };
      await recordTask({ ...ended, outputs: { branch: 'b' } });
      await prepareTask(input, aHost(project));
      const log = await readFile(path.join(place.ralphDir, 'logs', 'events.jsonl'), 'utf8');
      const lines = log.trimEnd().split('\n');
      const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(events.map(({ event_type }) => event_type)).toEqual([
        'task.started',
        'task.completed',
        'task.started',
      ]);
      expect(events[0]).toMatchObject({
        task_id: 'TASK-001',
        worker_id: 'worker-TASK-001-1700000000',
        pipeline: 'default',
      });
    });
  });

  it('writes scope, limits and criteria into the requirements, one item per scope (#18)', async () => {
    await inProject(async (project) => {
      const { place } = await prepareTask(aTaskInput(project), aHost(project));
      const prd = await readFile(path.join(place.workerDir, 'prd.md'), 'utf8');
      expect(prd).toContain('## Scope\n\n- First part\n- Second part\n');
      expect(prd).toContain('## Out of Scope\n\n- Not this\n');
      expect(prd).toContain('## Acceptance Criteria\n\n- It works\n');
      expect(prd.match(/^- \[ \] .*$/gm)).toEqual([
        '- [ ] First part',
        '- [ ] Second part',
        expect.stringContaining('complete'),
      ]);
    });
  });

  it('carries an odd title into the requirements unchanged (#22)', async () => {
    await inProject(async (project) => {
      const { place } = await prepareTask(aTaskInput(project), aHost(project));
      const prd = await readFile(path.join(place.workerDir, 'prd.md'), 'utf8');
      expect(prd.split('\n')[0]).toBe(`# Task: TASK-001 - ${ODD_TITLE}`);
    });
  });

  it('plans every agent by the path of its step, and sends no prompt along', async () => {
    await inProject(async (project) => {
      const { plans, pipeline, ...rest } = await prepareTask(aTaskInput(project), aHost(project));
      expect(Object.keys(plans)).toEqual(
        expect.arrayContaining(['execution', 'audit', 'audit/audit-fix', 'validation']),
      );
      expect(plans['audit']).toMatchObject({ type: 'engineering.security-audit', readonly: true });
      const payload = JSON.stringify({ plans, pipeline, ...rest });
      expect(payload.length).toBeLessThan(32_000);
      expect(payload).not.toContain('WIGGUM_SYSTEM_PROMPT');
      expect(payload).not.toContain('secret');
    });
  });

  it('gives the same answer again, and keeps what agents ticked and built', async () => {
    await inProject(async (project) => {
      const input = aTaskInput(project);
      const first = await prepareTask(input, aHost(project));
      const prd = path.join(first.place.workerDir, 'prd.md');
      await writeFile(prd, (await readFile(prd, 'utf8')).replaceAll('[ ]', '[x]'));
      await project.write({ 'new.txt': 'work\n' }, first.place.workspace);
      await writeFailure({ ...input, reason: 'it was killed', steps: [] });
      await project.write({ '.ralph/kanban.md': aBoard().withTask('TASK-009').text() });
      await project.commit('Second', { 'README.md': 'two\n' });
      expect(await prepareTask(input, aHost(project))).toEqual(first);
      expect(await readFile(prd, 'utf8')).not.toContain('[ ]');
      expect(await readFile(path.join(first.place.workspace, 'new.txt'), 'utf8')).toBe('work\n');
      expect(await readdir(first.place.workerDir)).not.toContain('failure.md');
    });
  });

  it.each([
    ['unset', {}, []],
    ['empty', { WIGGUM_PLAN_MODE: '' }, []],
    ['false', { WIGGUM_PLAN_MODE: 'false' }, []],
    ['False', { WIGGUM_PLAN_MODE: 'False' }, []],
    ['0', { WIGGUM_PLAN_MODE: '0' }, []],
    ['no', { WIGGUM_PLAN_MODE: 'no' }, []],
    ['off', { WIGGUM_PLAN_MODE: 'off' }, []],
    ['true', { WIGGUM_PLAN_MODE: 'true' }, ['WIGGUM_PLAN_MODE']],
    ['1', { WIGGUM_PLAN_MODE: '1' }, ['WIGGUM_PLAN_MODE']],
  ])(
    'reads a switch that is %s when the run starts (#52)',
    async (_value, environment, enabled) => {
      await inProject(async (project) => {
        const input = aTaskInput(project, { settings: { environment } });
        expect((await prepareTask(input, aHost(project))).enabled).toEqual(enabled);
      });
    },
  );

  it('takes target branch and checks from the settings of the project', async () => {
    await inProject(async (project) => {
      await project.git(['branch', 'develop']);
      const config = { git: { default_branch: 'develop' }, checks: ['npm test'] };
      await project.write({ '.ralph/config.json': JSON.stringify(config) });
      const prepared = await prepareTask(aTaskInput(project), aHost(project));
      expect(prepared).toMatchObject({ target: 'develop', checks: ['npm test'] });
    });
  });

  it.each([
    ['PIPELINE_MISSING', { settings: { pipeline: 'unheard-of' } }],
    ['TASK_UNKNOWN', { taskId: 'TASK-404' }],
    ['TASK_UNKNOWN', { taskId: '../TASK-1' }],
  ])('refuses with %s and makes no workspace', async (code, changes) => {
    await inProject(async (project) => {
      const input = aTaskInput(project, changes);
      await expect(prepareTask(input, aHost(project))).rejects.toMatchObject({ code });
      expect(await project.git(['for-each-ref', 'refs/wiggum'])).toBe('');
    });
  });

  it('says so when the worker folder cannot be made', async () => {
    await inProject(async (project) => {
      await writeFile(path.join(project.dir, '.ralph/workers'), 'in the way');
      await expect(prepareTask(aTaskInput(project), aHost(project))).rejects.toMatchObject({
        code: 'NOT_WRITABLE',
        retryable: false,
      });
    });
  });
});

async function inProject(use: (project: TestProject) => Promise<void>): Promise<void> {
  await withRepository(async (project) => {
    const board = aBoard().withTask('TASK-001', {
      title: ODD_TITLE,
      more: [
        '  - Scope:',
        '    - First part',
        '    - Second part',
        '  - Out of Scope:',
        '    - Not this',
        '  - Acceptance Criteria:',
        '    - It works',
      ],
    });
    await project.write({ '.ralph/kanban.md': board.text() });
    await use(project);
  });
}
