import { describe, expect, it } from '@jest/globals';
import type { TaskView } from '../../client/board-view.ts';
import { readFileView, type OpenRun } from '../../client/file-view.ts';
import { serializePullRequest } from '../../config/pull-request-file.ts';
import { aBoard } from '../helpers/a-board.ts';
import { withRepository, type TestProject } from '../helpers/with-repository.ts';

async function rows(
  project: TestProject,
  open?: ReadonlyMap<string, OpenRun>,
): Promise<Record<string, TaskView>> {
  const { tasks } = await readFileView(`${project.dir}/.ralph`, open);
  return Object.fromEntries(tasks.map((task) => [task.id, task]));
}

describe('a board that only its files tell about', () => {
  it('says for what each pending task waits', async () => {
    await withRepository(async (project) => {
      await project.write({
        '.ralph/kanban.md': aBoard()
          .withTask('AB-1')
          .withTask('AB-2', { dependencies: ['AB-1'] })
          .withTask('AB-3', { dependencies: ['AB-4'] })
          .withTask('AB-4', { dependencies: ['AB-3'] })
          .withTask('AB-5', { marker: 'N' })
          .text(),
      });
      const { cycles } = await readFileView(`${project.dir}/.ralph`);
      const found = await rows(project);
      expect(found['AB-1']).toMatchObject({
        state: 'pending',
        why: 'ready: the next `wiggum run` starts it',
      });
      expect(found['AB-2']?.why).toBe('waits for AB-1, which has not started ([ ])');
      expect(found['AB-3']?.why).toBe('never starts: AB-3 and AB-4 depend on each other');
      expect(found['AB-5']).toMatchObject({ state: 'not-planned', why: '' });
      expect(cycles).toEqual([['AB-3', 'AB-4']]);
    });
  });

  it('counts an archived dependency as done (#21)', async () => {
    await withRepository(async (project) => {
      const board = aBoard()
        .withTask('AB-2', { dependencies: ['AB-1'] })
        .text();
      await project.write({
        '.ralph/kanban.md': board.replace('## TASKS\n', '## TASKS\n<!-- done: AB-1 -->\n'),
      });
      expect((await rows(project))['AB-2']?.why).toContain('ready');
    });
  });

  it('counts a missing Dependencies as none and says so (#16)', async () => {
    await withRepository(async (project) => {
      await project.write({
        '.ralph/kanban.md':
          '## TASKS\n- [ ] **[AB-1]** One\n  - Description: D\n  - Priority: LOW\n',
      });
      const { tasks, problems } = await readFileView(`${project.dir}/.ralph`);
      expect(tasks[0]?.why).toContain('ready');
      expect(problems).toMatchObject([
        { line: 2, message: expect.stringContaining('read as none') },
      ]);
    });
  });

  it('gives the reason that the newest run of a failed task left behind', async () => {
    await withRepository(async (project) => {
      const failure = (reason: string) => `# AB-1 failed: One\n\n${reason}\n\nStarted then.\n`;
      await project.write({
        '.ralph/kanban.md': aBoard()
          .withTask('AB-1', { marker: '*' })
          .withTask('AB-2', { marker: '*' })
          .text(),
        '.ralph/workers/worker-AB-1-1700000001/failure.md': failure('> an older reason'),
        '.ralph/workers/worker-AB-1-1700000002/failure.md': failure(
          '> aborted by me,\n> who wanted it',
        ),
        '.ralph/workers/worker-AB-12-1700000003/failure.md': failure('> of another task'),
      });
      const found = await rows(project);
      expect(found['AB-1']).toMatchObject({
        state: 'failed',
        why: 'aborted by me, who wanted it',
        workerDir: `${project.dir}/.ralph/workers/worker-AB-1-1700000002`,
      });
      expect(found['AB-2']?.why).toContain('wiggum worker restart AB-2');
    });
  });

  it('names the pull request that waits for a person', async () => {
    await withRepository(async (project) => {
      const record = {
        number: 3,
        taskId: 'AB-1',
        epoch: 1,
        title: 'AB-1: One',
        branch: 'task/AB-1-1',
        target: 'main',
        head: 'a'.repeat(40),
        base: 'b'.repeat(40),
        state: 'open' as const,
        url: '',
      };
      await project.write({
        '.ralph/kanban.md': aBoard().withTask('AB-1', { marker: 'P' }).text(),
        '.ralph/pull-requests/3/pull-request.json': serializePullRequest(record),
      });
      expect((await rows(project))['AB-1']).toMatchObject({
        state: 'needs-you',
        pullRequest: 3,
        why: 'pull request 3 waits for a person: wiggum pr merge AB-1',
      });
    });
  });

  it('calls what nobody works on paused, with the step that the server knows', async () => {
    await withRepository(async (project) => {
      await project.write({
        '.ralph/kanban.md': aBoard()
          .withTask('AB-1', { marker: '=' })
          .withTask('AB-2', { marker: '=' })
          .text(),
      });
      const found = await rows(project, new Map([['AB-1', { step: 'audit' }]]));
      expect(found['AB-1']).toMatchObject({
        state: 'paused',
        step: 'audit',
        open: true,
        why: 'nobody works on it now: `wiggum run` goes on with it',
      });
      expect(found['AB-2']).toMatchObject({ state: 'paused', step: null, open: false });
    });
  });
});
