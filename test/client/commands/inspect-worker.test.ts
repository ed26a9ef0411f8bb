import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { LoggedEvent } from '../../../client/event-log.ts';
import type { WorkerView } from '../../../client/inspect/worker-view.ts';
import { aBoard } from '../../helpers/a-board.ts';
import { resultFiles } from '../../helpers/a-record.ts';
import { jsonOf, wiggumLine } from '../../helpers/run-line.ts';
import { withRepository, type TestProject } from '../../helpers/with-repository.ts';

const RUN = '.ralph/workers/worker-AB-1-1700000100';
const event = (number: number, task = 'AB-1') =>
  JSON.stringify({
    ts: `2026-01-02T03:04:${String(number % 60).padStart(2, '0')}.678Z`,
    event: 'step.completed',
    step_id: `step-${number}`,
    result: 'PASS',
    run_id: `step-${number}-1`,
    worker_id: `worker-${task}-1700000100`,
    task_id: task,
    key: `k${number}`,
  });
const events = (count: number, task?: string) =>
  Array.from({ length: count }, (_, number) => `${event(number, task)}\n`).join('');

async function withEndedTask(use: (project: TestProject) => Promise<void>): Promise<void> {
  await withRepository(async (project) => {
    await project.write({
      '.ralph/kanban.md': aBoard().withTask('AB-1', { marker: '*' }).withTask('XY-2').text(),
      '.ralph/logs/activity.jsonl': `${events(30, 'XY-2')}no event\n${events(3)}`,
      [`${RUN}/activity.jsonl`]: events(8),
      [`${RUN}/failure.md`]: '# x\n\n> test ended with FAIL\n',
      [`${RUN}/prd.md`]: '',
      ...resultFiles(RUN, [
        { agent: 'test.build', step: 'build', epoch: 1700000101, costUsd: 1, turns: 3 },
        { agent: 'test.check', step: 'check', epoch: 1700000120, result: 'FAIL', turns: 2 },
        {
          ...{ agent: 'system.task-worker', epoch: 1700000100, after: 60, result: 'FAIL' },
          ...{ costUsd: 1, turns: 5, tokens: [120_400, 8_000], model: 'large' },
          errors: ['test ended with FAIL'],
        },
      ]),
    });
    await use(project);
  });
}

describe('inspect worker, of a task that has ended', () => {
  it('tells state, gate result, events, session, cost per model and paths from the files (#4)', async () => {
    await withEndedTask(async ({ dir }) => {
      const { code, stdout } = await wiggumLine(['inspect', 'worker', 'ab-1'], { cwd: dir });
      expect(code).toBe(0);
      const lines = stdout.split('\n');
      expect(lines.slice(0, 8)).toEqual([
        'AB-1: Title of AB-1',
        '',
        '  state        [*] failed',
        '  why          test ended with FAIL',
        '  last result  FAIL of check (test.check)',
        '  ended        FAIL at 2023-11-14T22:16:00.000Z: test ended with FAIL',
        '  worker       worker-AB-1-1700000100',
        expect.stringMatching(/^ {2}started {6}\d+d \d\dh ago$/),
      ]);
      expect(stdout).toContain('  session      session-1700000120\n');
      expect(stdout).toContain('  used         5 turns · 120k tokens in, 8k out · $1.00\n');
      expect(stdout).toMatch(/^ {2}build {2}PASS {2}test\.build {2}3 turns {2}10s {2}\$1\.00$/m);
      expect(stdout).toMatch(
        /^ {2}large {2}120k in, 8k out {2}cache 0 read, 0 written {2}\$1\.00$/m,
      );
      const at = lines.indexOf('Last events:');
      expect(lines.slice(at + 1, at + 7)).toEqual([
        ...[3, 4, 5, 6, 7].map(
          (number) => `  2026-01-02 03:04:0${number}Z  step.completed  step-${number} PASS`,
        ),
        '',
      ]);
      expect(stdout).toMatch(new RegExp(`^ {2}folder +${RUN}$`, 'm'));
      expect(stdout).toMatch(/^ {2}result +.*1700000120-test\.check-result\.json$/m);
    });
  });

  it('gives programs the same as JSON', async () => {
    await withEndedTask(async ({ dir }) => {
      const view = jsonOf<WorkerView>(
        await wiggumLine(['inspect', 'worker', 'AB-1', '--json'], { cwd: dir }),
      );
      expect(view).toMatchObject({
        task: 'AB-1',
        source: 'files',
        standing: { state: 'failed', step: null },
        worker: 'worker-AB-1-1700000100',
        last: { step: 'check', result: 'FAIL' },
        end: { result: 'FAIL', errors: ['test ended with FAIL'] },
        usage: { turns: 5, models: { large: { inputTokens: 120_400 } } },
        settings: null,
      });
      expect(view.events).toHaveLength(5);
    });
  });

  it('tells of a task that never ran that it did not', async () => {
    await withEndedTask(async ({ dir }) => {
      const { code, stdout } = await wiggumLine(['inspect', 'worker', 'xy'], { cwd: dir });
      expect(code).toBe(0);
      expect(stdout).toContain('[ ] pending');
      expect(stdout).toContain('it has not run yet');
    });
  });
});

describe('inspect activity', () => {
  it('shows the last 20 events of the project, or those of one task (#4)', async () => {
    await withEndedTask(async ({ dir }) => {
      const all = await wiggumLine(['inspect', 'activity'], { cwd: dir });
      const lines = all.stdout.trimEnd().split('\n');
      expect(lines).toHaveLength(20);
      expect(lines[0]).toBe('2026-01-02 03:04:13Z  XY-2  step.completed  step-13 PASS');
      expect(lines[19]).toBe('2026-01-02 03:04:02Z  AB-1  step.completed  step-2 PASS');
      const one = await wiggumLine(['inspect', 'activity', 'AB-1', '--json'], { cwd: dir });
      const { events: told } = jsonOf<{ events: LoggedEvent[] }>(one);
      expect(told.map(({ key }) => key)).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7']);
    });
  });

  it('cuts no line that goes into a pipe, nor does inspect worker (#4)', async () => {
    await withEndedTask(async ({ dir, write }) => {
      const message = 'long '.repeat(60).trim();
      const event = { ts: '2026-01-02T03:04:05.678Z', event: 'step.started', message };
      await write({ [`${RUN}/activity.jsonl`]: `${JSON.stringify(event)}\n` });
      for (const subject of ['activity', 'worker']) {
        const { stdout } = await wiggumLine(['inspect', subject, 'AB-1'], { cwd: dir });
        expect(stdout).toContain(`step.started  ${message}\n`);
      }
    });
  });

  it('says so when nothing has happened, and follows no link of an agent', async () => {
    await withEndedTask(async ({ dir, write }) => {
      const none = await wiggumLine(['inspect', 'activity', 'XY-2'], { cwd: dir });
      expect([none.code, none.stdout]).toEqual([0, '']);
      expect(none.stderr).toContain('nothing has happened to XY-2 yet');
      await write({ '.ralph/workers/worker-XY-2-1700000200/prd.md': '', '../secret': events(1) });
      await symlink(
        path.join(dir, '..', 'secret'),
        path.join(dir, '.ralph/workers/worker-XY-2-1700000200/activity.jsonl'),
      );
      expect((await wiggumLine(['inspect', 'activity', 'XY-2'], { cwd: dir })).stdout).toBe('');
    });
  });
});

describe('inspect path', () => {
  it.each([
    [['result'], 'results/1700000120-test.check-result.json'],
    [['result', 'build'], 'results/1700000101-test.build-result.json'],
    [['result', 'test.build'], 'results/1700000101-test.build-result.json'],
    [['prd'], 'prd.md'],
  ])('prints the newest path of %j (#87)', async (words, file) => {
    await withEndedTask(async ({ dir }) => {
      const answer = await wiggumLine(['inspect', 'path', 'AB-1', ...words], { cwd: dir });
      expect(answer).toMatchObject({ code: 0, stdout: `${path.join(dir, RUN, file)}\n` });
    });
  });

  it.each([
    [['AB-1', 'report', 'build'], 'none: AB-1 has no report of build'],
    [['AB-1', 'workspace'], 'none: AB-1 has no workspace'],
    [['XY-2', 'prd'], 'none: XY-2 has not run'],
  ])('says that there is none and exits 1: %j (#87)', async (words, message) => {
    await withEndedTask(async ({ dir }) => {
      const answer = await wiggumLine(['inspect', 'path', ...words], { cwd: dir });
      expect([answer.code, answer.stdout]).toEqual([1, '']);
      expect(answer.stderr).toContain(message);
      const json = await wiggumLine(['inspect', 'path', ...words, '--json'], { cwd: dir });
      expect(json.code).toBe(1);
      expect(jsonOf<{ path: null }>(json).path).toBeNull();
    });
  });
});

describe('status', () => {
  it('totals what all task runs used, per model as JSON (#148)', async () => {
    await withEndedTask(async ({ dir }) => {
      const { stdout } = await wiggumLine(['status'], { cwd: dir });
      expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
        '2 tasks: 1 failed, 1 pending · $1.00',
        'total: 5 turns · 120k tokens in, 8k out · $1.00',
      ]);
      const json = await wiggumLine(['status', '--json'], { cwd: dir });
      expect(jsonOf<object>(json)).toMatchObject({
        usage: { turns: 5, costUsd: 1, models: { large: { outputTokens: 8_000, costUsd: 1 } } },
      });
    });
  });
});
