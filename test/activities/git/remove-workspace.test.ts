import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { commitStep } from '../../../activities/git/commit.ts';
import { publishBranch } from '../../../activities/git/publish.ts';
import { removeWorkspace } from '../../../activities/git/remove-workspace.ts';
import { createWorkspace } from '../../../activities/git/workspace.ts';
import type { RunPlace } from '../../../workflows/domain/agent.ts';
import { workOn } from '../../helpers/with-pull-request.ts';
import { withRepository, type TestProject } from '../../helpers/with-repository.ts';

const RESCUE = 'refs/wiggum/rescue/TASK-001-1700000000';

describe('removeWorkspace', () => {
  it('leaves nothing behind when all is published', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'new.txt': 'x\n' });
      await publishBranch(place);
      expect(await removeWorkspace(place)).toEqual({});
      expect(await readdir(place.workerDir)).toEqual([]);
      expect(await rescued(project)).toBe('');
      expect(await removeWorkspace(place)).toEqual({});
    });
  });

  it('lets the base go when nothing was published', async () => {
    await withRepository(async (project) => {
      const place = project.place();
      await createWorkspace(place);
      expect(await removeWorkspace(place)).toEqual({});
      expect(await project.git(['for-each-ref', 'refs/wiggum'])).toBe('');
    });
  });

  it('rescues uncommitted and untracked files first', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'new.txt': 'x\n' });
      await publishBranch(place);
      await project.write({ 'README.md': 'unsaved\n', 'note.txt': 'note\n' }, place.workspace);
      const { rescued: commit } = await removeWorkspace(place);
      expect(await rescued(project)).toBe(commit);
      expect(await project.git(['show', `${RESCUE}:README.md`])).toBe('unsaved');
      expect(await project.git(['show', `${RESCUE}:note.txt`])).toBe('note');
    });
  });

  it.each<[string, (project: TestProject, place: RunPlace) => Promise<unknown>]>([
    ['on the task branch', () => Promise.resolve()],
    [
      'on a branch that the agent made',
      async (project, place) => {
        await project.git(['branch', 'side'], place.workspace);
        await project.git(['reset', '--quiet', '--hard', 'HEAD~1'], place.workspace);
      },
    ],
    [
      'that the agent put on the target branch of its repository',
      async (project, place) => {
        await project.git(['branch', '--force', 'main', 'HEAD'], place.workspace);
        await project.git(['reset', '--quiet', '--hard', 'HEAD~1'], place.workspace);
      },
    ],
    [
      'of a workspace whose folder vanished',
      (_project, place) => rm(place.workspace, { recursive: true }),
    ],
  ])('rescues unpublished commits %s', async (_title, then) => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'new.txt': 'x\n' });
      const head = await project.git(['rev-parse', 'HEAD'], place.workspace);
      await then(project, place);
      await removeWorkspace(place);
      await project.git(['merge-base', '--is-ancestor', head, RESCUE]);
      expect(await project.git(['show', `${head}:new.txt`])).toBe('x');
    });
  });

  it('puts a repository aside that the agent made inside the workspace', async () => {
    await withRepository(async (project) => {
      const place = project.place();
      await createWorkspace(place);
      await project.git(['init', '--quiet', 'vendor/lib'], place.workspace);
      await project.write({ 'vendor/lib/work.txt': 'x\n' }, place.workspace);
      await removeWorkspace(place);
      expect(await readdir(path.join(place.workerDir, 'kept-repositories/vendor/lib'))).toEqual([
        '.git',
        'work.txt',
      ]);
    });
  });

  it('does not take a half deleted workspace for changes', async () => {
    await withRepository(async (project) => {
      const place = project.place();
      await createWorkspace(place);
      await writeFile(path.join(place.workerDir, 'repo.git/wiggum-rescued'), '');
      await rm(path.join(place.workspace, 'README.md'));
      expect(await removeWorkspace(place)).toEqual({});
      expect(await rescued(project)).toBe('');
    });
  });

  it('adds no second rescue of the same state', async () => {
    await withRepository(async (project) => {
      const rescues: (string | undefined)[] = [];
      while (rescues.length < 2) {
        const place = await workOn(project, { 'new.txt': 'x\n' });
        await project.write({ 'note.txt': 'note\n' }, place.workspace);
        rescues.push((await removeWorkspace(place)).rescued);
      }
      expect(rescues[1]).toBe(rescues[0]);
    });
  });

  it.each(['a plain folder', 'a repository of another run'])('refuses %s', async (what) => {
    await withRepository(async (project) => {
      const place = project.place();
      await mkdir(place.workerDir, { recursive: true });
      if (what === 'a plain folder') await project.write({ 'precious.txt': 'x' }, place.workspace);
      else await project.git(['init', '--quiet', '--bare', path.join(place.workerDir, 'repo.git')]);
      await expect(removeWorkspace(place)).rejects.toMatchObject({ code: 'WORKSPACE_FOREIGN' });
      expect(await readdir(place.workerDir)).toHaveLength(1);
    });
  });
});

describe('the base of a task', () => {
  it('stays where it was when the agent moves the target in its repository (#115)', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'new.txt': 'x\n' });
      await project.write({ '.env': 'TOKEN=1\n' }, place.workspace);
      await project.git(['add', '--force', '.env'], place.workspace);
      await project.git(['commit', '--quiet', '-m', 'oops'], place.workspace);
      await project.git(['branch', '--force', 'main', 'HEAD'], place.workspace);
      const step = { message: 'Next', key: 'next', timestamp: 1700000300 };
      expect(await commitStep(place, step)).toMatchObject({ refusedFiles: ['.env'] });
      expect(await project.git(['ls-tree', '--name-only', 'HEAD', '.env'], place.workspace)).toBe(
        '',
      );
    });
  });
});

function rescued(project: TestProject): Promise<string> {
  return project.git(['for-each-ref', '--format=%(objectname)', RESCUE]);
}
