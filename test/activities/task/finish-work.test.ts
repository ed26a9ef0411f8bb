import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { finishWork } from '../../../activities/task/finish-work.ts';
import { createWorkspace } from '../../../activities/git/workspace.ts';
import type { RunPlace } from '../../../workflows/domain/agent.ts';
import { withRepository, type TestProject } from '../../helpers/with-repository.ts';

describe('finishWork', () => {
  it('commits what the steps left over, once (#54)', async () => {
    await inWorkspace(async (project, place) => {
      await project.write({ 'left.txt': 'x\n', '.env': 'TOKEN=1\n' }, place.workspace);
      await finishWork({ place, title: 'Do it' });
      await finishWork({ place, title: 'Do it' });
      const log = await project.git(
        ['log', '--format=%s|%b|%at', '--name-only', 'main..'],
        place.workspace,
      );
      const base = await project.git(['rev-parse', 'main']);
      const time = await project.git(['log', '-1', '--format=%ct', 'main']);
      expect(log).toBe(
        `TASK-001: finalization|TASK-001: Do it\n\nWiggum-Step: finalization-${base}\n|${time}\n\nleft.txt`,
      );
    });
  });

  it('tells which files it left out (#115)', async () => {
    await inWorkspace(async (project, place) => {
      await project.write({ '.env': 'TOKEN=1\n', 'deep/a.pem': 'x' }, place.workspace);
      await finishWork({ place, title: 'Do it' });
      const log = await readFile(path.join(place.workerDir, 'activity.jsonl'), 'utf8');
      expect(JSON.parse(log)).toMatchObject({
        event: 'commit.files_left_out',
        files: '.env, deep/a.pem',
      });
    });
  });

  it('commits again when the run is finished a second time', async () => {
    await inWorkspace(async (project, place) => {
      for (const name of ['one.txt', 'two.txt']) {
        await project.write({ [name]: 'x\n' }, place.workspace);
        await finishWork({ place, title: 'Do it' });
      }
      expect(await project.git(['rev-list', '--count', 'main..'], place.workspace)).toBe('2');
    });
  });

  it.each([
    ['- [x] done\n- [X] too\n', [], []],
    ['- [ ] open\n- [x] done\n  * [ ] deep\n', ['open', 'deep'], []],
    ['- [*] given up\r\n- [x] done\r\n', [], ['given up']],
  ])('counts the items of %j (#120)', async (prd, openItems, failedItems) => {
    await inWorkspace(async (_project, place) => {
      await writeFile(path.join(place.workerDir, 'prd.md'), prd);
      expect(await finishWork({ place, title: 'Do it' })).toEqual({
        openItems,
        failedItems,
        changed: false,
      });
    });
  });

  it('counts requirements that vanished as open (#120)', async () => {
    await inWorkspace(async (_project, place) => {
      await rm(path.join(place.workerDir, 'prd.md'));
      expect((await finishWork({ place, title: 'Do it' })).openItems).toEqual(['prd.md is gone']);
    });
  });

  it.each<[string, boolean, (project: TestProject, place: RunPlace) => Promise<unknown>]>([
    ['nothing', false, () => Promise.resolve()],
    ['a new file', true, (project, { workspace }) => project.write({ 'a.txt': 'x\n' }, workspace)],
    [
      'a change that was taken back',
      false,
      async (project, { workspace, taskId, ...place }) => {
        await project.write({ 'a.txt': 'x\n' }, workspace);
        await finishWork({ place: { workspace, taskId, ...place }, title: 'Do it' });
        await rm(path.join(workspace, 'a.txt'));
      },
    ],
    [
      'a commit that the agent also put on its own main',
      true,
      async (project, { workspace }) => {
        await project.write({ 'a.txt': 'x\n' }, workspace);
        await project.git(['add', 'a.txt'], workspace);
        await project.git(['commit', '--quiet', '-m', 'mine'], workspace);
        await project.git(['branch', '--force', 'main', 'HEAD'], workspace);
      },
    ],
  ])('tells whether %s changed anything: %s', async (_title, changed, work) => {
    await inWorkspace(async (project, place) => {
      await work(project, place);
      expect((await finishWork({ place, title: 'Do it' })).changed).toBe(changed);
    });
  });

  it('refuses conflict markers and names the file (#115)', async () => {
    await inWorkspace(async (project, place) => {
      await project.write(
        { 'README.md': '<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n' },
        place.workspace,
      );
      await expect(finishWork({ place, title: 'Do it' })).rejects.toMatchObject({
        code: 'COMMIT_REFUSED',
        message: expect.stringContaining('README.md') as unknown,
      });
    });
  });
});

async function inWorkspace(
  use: (project: TestProject, place: RunPlace) => Promise<void>,
): Promise<void> {
  await withRepository(async (project) => {
    const place = project.place('TASK-001', 1600000000);
    await createWorkspace(place);
    await writeFile(path.join(place.workerDir, 'prd.md'), '- [x] all\n');
    await use(project, place);
  });
}
