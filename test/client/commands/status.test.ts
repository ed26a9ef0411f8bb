import { mkdir } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import type { BoardReport } from '../../../client/board-report.ts';
import type { TaskView } from '../../../client/board-view.ts';
import { Interruption } from '../../../client/run-line.ts';
import { aBoard } from '../../helpers/a-board.ts';
import { jsonOf, wiggumLine } from '../../helpers/run-line.ts';
import { withFolder } from '../../helpers/with-folder.ts';
import { withRepository, type TestProject } from '../../helpers/with-repository.ts';

const board = aBoard()
  .withTask('AB-1', { marker: '*', title: 'Break\u001b[2J things' })
  .withTask('AB-2', { dependencies: ['AB-1'] })
  .withTask('AB-3');

async function withProject(use: (project: TestProject) => Promise<void>): Promise<void> {
  await withRepository(async (project) => {
    await project.write({
      '.ralph/kanban.md': board.text(),
      '.ralph/workers/worker-AB-1-1700000000/failure.md': '# x\n\n> test ended with FAIL\n',
    });
    await use(project);
  });
}

describe('status without a server', () => {
  it('shows the board from its files, with reasons', async () => {
    await withProject(async ({ dir }) => {
      const { code, stdout } = await wiggumLine(['status'], { cwd: dir });
      expect(code).toBe(0);
      expect(stdout.split('\n')).toEqual([
        expect.stringMatching(/^project-\w{8}: nobody works on the board; `wiggum run` starts$/),
        'note: the embedded server has not been started yet',
        '',
        '[*] AB-1 failed   test ended with FAIL · Break\\u{1b}[2J things',
        '[ ] AB-2 pending  waits for AB-1, which failed ([*]) · Title of AB-2',
        '[ ] AB-3 pending  ready: the next `wiggum run` starts it · Title of AB-3',
        '',
        '3 tasks: 1 failed, 2 pending',
        '',
      ]);
    });
  });

  it('gives programs every task with id, title, marker, state, step and why', async () => {
    await withProject(async ({ dir }) => {
      const answer = await wiggumLine(['status', '--json'], { cwd: dir });
      const report = jsonOf<BoardReport & { tasks: TaskView[] }>(answer);
      expect(report).toMatchObject({
        source: 'files',
        sweeping: false,
        host: null,
        server: null,
        summary: '3 tasks: 1 failed, 2 pending',
      });
      expect(report.tasks[0]).toMatchObject({
        id: 'AB-1',
        title: 'Break\u001b[2J things',
        marker: '*',
        state: 'failed',
        step: null,
        why: 'test ended with FAIL',
      });
    });
  });

  it('says that the chosen server does not answer', async () => {
    await withProject(async ({ dir }) => {
      const environment = { TEMPORAL_ADDRESS: '127.0.0.1:9' };
      const { code, stdout } = await wiggumLine(['status'], { cwd: dir, environment });
      expect(code).toBe(0);
      expect(stdout).toContain('note: 127.0.0.1:9 does not answer');
      expect(stdout).toContain('AB-3 pending');
    });
  });

  it('cuts its lines to the terminal', async () => {
    await withProject(async ({ dir }) => {
      const { stdout } = await wiggumLine(['status'], { cwd: dir, columns: 40 });
      expect(stdout).toContain('[ ] AB-2 pending  waits for AB-1, which…\n');
    });
  });

  it('redraws with --watch until it is ended, and sees edits of the board', async () => {
    await withProject(async ({ dir, write }) => {
      const ending = new AbortController();
      let edit: Promise<void> | undefined;
      const { code, stdout } = await wiggumLine(['status', '--watch'], {
        cwd: dir,
        columns: 100,
        signal: ending.signal,
        heard: (said) => {
          if (said.stdout.includes('AB-2 pending'))
            edit ??= write({ '.ralph/kanban.md': aBoard().withTask('AB-7').text() });
          if (said.stdout.includes('AB-7 pending')) ending.abort(new Interruption('SIGINT'));
        },
      });
      await edit;
      expect(code).toBe(130);
      expect(stdout).toContain('AB-2 pending');
      expect(stdout).toContain('\u001b[6A');
      expect(stdout.indexOf('AB-7 pending')).toBeGreaterThan(stdout.indexOf('AB-2 pending'));
    });
  });
});

describe('status refuses', () => {
  it('a repository without .ralph, with exit 3 (#190)', async () => {
    await withFolder(async (cwd) => {
      await mkdir(`${cwd}/.git`);
      const { code, stderr } = await wiggumLine(['status'], { cwd });
      expect(code).toBe(3);
      expect(stderr).toContain('wiggum init');
    });
  });

  it('a project without a board, with exit 3 (#190)', async () => {
    await withRepository(async ({ dir }) => {
      expect((await wiggumLine(['status'], { cwd: dir })).code).toBe(3);
    });
  });
});
