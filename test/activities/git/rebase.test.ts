import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { rebaseOnto } from '../../../activities/git/rebase.ts';
import type { RunPlace } from '../../../workflows/domain/agent.ts';
import { pictureOf, workOn } from '../../helpers/with-pull-request.ts';
import { withRepository, type TestProject } from '../../helpers/with-repository.ts';

describe('rebaseOnto', () => {
  it('says that nothing is to be done when the target stands still', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'new.txt': 'x\n' });
      const before = await stateOf(project, place);
      expect(await rebaseOnto(place, 'main')).toEqual({
        kind: 'up-to-date',
        head: before.head,
        base: await project.git(['rev-parse', 'main']),
      });
      expect(await stateOf(project, place)).toEqual(before);
    });
  });

  it('puts the work on the new target, with uncommitted files kept', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'new.txt': 'x\n' });
      await project.write({ 'README.md': 'half\n', 'note.txt': 'n\n' }, place.workspace);
      const base = await project.commit('Second', { 'src/app.txt': 'two\n' });
      const picture = await pictureOf(project);
      const rebased = await rebaseOnto(place, 'main');
      const { head, status } = await stateOf(project, place);
      expect(rebased).toEqual({ kind: 'rebased', head, base });
      expect(await project.git(['rev-parse', 'HEAD~1'], place.workspace)).toBe(base);
      expect(status).toBe(' M README.md\n?? note.txt');
      expect(await pictureOf(project)).toEqual(picture);
      expect(await project.git(['rev-parse', 'refs/wiggum/base/TASK-001-1700000000'])).toBe(base);
    });
  });

  it('drops commits that the target has already', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'new.txt': 'x\n' });
      const base = await project.commit('Same', { 'new.txt': 'x\n' });
      expect(await rebaseOnto(place, 'main')).toEqual({ kind: 'rebased', head: base, base });
    });
  });

  it.each<[string, (project: TestProject, place: RunPlace) => Promise<unknown>]>([
    ['a clean workspace', () => Promise.resolve()],
    [
      'uncommitted files',
      (project, place) => project.write({ 'src/app.txt': 'half\n' }, place.workspace),
    ],
    [
      'a rebase that was left in the middle',
      async (project, place) => {
        const main = await project.git(['rev-parse', 'main']);
        await project.git(['rebase', main], place.workspace).catch(() => undefined);
        await project.git(['rev-parse', 'REBASE_HEAD'], place.workspace);
      },
    ],
  ])('names the conflict and leaves all as it was: %s', async (_title, prepare) => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'README.md': 'theirs\n' });
      await project.commit('Second', { 'README.md': 'mine\n' });
      const clean = await stateOf(project, place);
      await prepare(project, place);
      const expected = { kind: 'conflict', files: ['README.md'] };
      expect(await rebaseOnto(place, 'main')).toEqual(expected);
      const after = await stateOf(project, place);
      expect({ ...after, status: '' }).toEqual({ ...clean, status: '' });
      expect(await rebaseOnto(place, 'main')).toEqual(expected);
      expect(await stateOf(project, place)).toEqual(after);
    });
  });

  it('names untracked files that stand in the way', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'new.txt': 'x\n' });
      await project.write({ 'later.txt': 'agent\n' }, place.workspace);
      await project.commit('Second', { 'later.txt': 'person\n' });
      expect(await rebaseOnto(place, 'main')).toEqual({ kind: 'conflict', files: ['later.txt'] });
      expect(await readFile(path.join(place.workspace, 'later.txt'), 'utf8')).toBe('agent\n');
    });
  });

  it('goes on from a rebase so young that git does not know it, and keeps what was there', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'new.txt': 'x\n' });
      const base = await project.commit('Second', { 'src/app.txt': 'two\n' });
      const admin = path.join(place.workerDir, 'repo.git/worktrees/workspace');
      await project.write({ 'rebase-merge/interactive': '' }, admin);
      await writeFile(path.join(place.workspace, 'note.txt'), 'n\n');
      expect(await rebaseOnto(place, 'main')).toMatchObject({ kind: 'rebased', base });
      const kept = ['for-each-ref', '--format=%(objectname)', 'refs/wiggum/interrupted'];
      const commit = await project.git(kept, place.workspace);
      expect(await project.git(['show', `${commit}:note.txt`], place.workspace)).toBe('n');
    });
  });

  it('says so when the target has vanished', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'new.txt': 'x\n' });
      await expect(rebaseOnto(place, 'gone')).rejects.toMatchObject({ code: 'NO_COMMIT' });
    });
  });
});

async function stateOf(project: TestProject, { workspace }: RunPlace) {
  return {
    head: await project.git(['rev-parse', 'HEAD'], workspace),
    branch: await project.git(['branch', '--show-current'], workspace),
    status: await project.git(['status', '--porcelain'], workspace),
    stash: await project.git(['stash', 'list'], workspace),
  };
}
