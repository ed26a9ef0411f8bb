import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { mergePullRequest } from '../../../../activities/forge/local/merge-pull-request.ts';
import { rebaseBranch } from '../../../../activities/forge/local/rebase-branch.ts';
import { findPullRequest } from '../../../../config/pull-request-file.ts';
import { performAndDie, type DeathPoint } from '../../../helpers/perform-and-die.ts';
import { pictureOf, proposeChange } from '../../../helpers/with-pull-request.ts';
import { withRepository } from '../../../helpers/with-repository.ts';

const AT = 1700000200;

describe('rebaseBranch', () => {
  it('puts the branch on the moved target, publishes it, and the merge goes on', async () => {
    await withRepository(async (project) => {
      const { place, pullRequest } = await proposeChange(project, { 'new.txt': 'x\n' });
      const base = await project.commit('Second', { 'README.md': 'two\n' });
      const before = await pictureOf(project);
      const rebased = await rebaseBranch({ place, number: 1 });
      const head = await project.git(['rev-parse', 'HEAD'], place.workspace);
      expect(rebased).toEqual({ kind: 'rebased', head, base });
      expect(await pictureOf(project)).toEqual(before);
      expect(await findPullRequest(place.ralphDir, 1)).toEqual({ ...pullRequest, head, base });
      const diff = path.join(place.ralphDir, 'pull-requests/1/changes.diff');
      expect(await readFile(diff, 'utf8')).not.toContain('README.md');
      expect(await mergePullRequest({ place, number: 1, timestamp: AT })).toMatchObject({
        kind: 'merged',
      });
      expect(await project.git(['log', '--format=%s', 'main'])).toBe(
        'TASK-001: Do it\nSecond\nFirst',
      );
    });
  });

  it('names the files of a conflict and changes nothing', async () => {
    await withRepository(async (project) => {
      const { place, pullRequest } = await proposeChange(project, { 'README.md': 'theirs\n' });
      await project.commit('Second', { 'README.md': 'mine\n' });
      expect(await rebaseBranch({ place, number: 1 })).toEqual({
        kind: 'conflict',
        files: ['README.md'],
      });
      expect(await findPullRequest(place.ralphDir, 1)).toEqual(pullRequest);
      expect(await project.git(['rev-parse', 'HEAD'], place.workspace)).toBe(pullRequest.head);
      expect(await project.git(['status', '--porcelain'], place.workspace)).toBe('');
    });
  });

  it.each<[string, DeathPoint]>([
    ['before the rebase', { before: 'rebase --quiet' }],
    ['between rebase and publication', { after: 'rebase --quiet' }],
    ['between publication and record', { before: 'diff --no-ext-diff' }],
  ])(
    'gives the same commits after a death %s',
    async (_title, at) => {
      await withRepository(async (project) => {
        const { place } = await proposeChange(project, { 'new.txt': 'x\n' });
        const base = await project.commit('Second', { 'README.md': 'two\n' });
        await performAndDie('rebase-branch.ts', 'rebaseBranch', { place, number: 1 }, at);
        const rebased = await rebaseBranch({ place, number: 1 });
        const head = await project.git(['rev-parse', 'HEAD'], place.workspace);
        expect(rebased).toMatchObject({ head, base });
        expect(await findPullRequest(place.ralphDir, 1)).toMatchObject({ head, base });
        expect(await project.git(['log', '--format=%s', `${base}..${head}`], place.workspace)).toBe(
          'TASK-001: execution - engineering.coder',
        );
      });
    },
    60_000,
  );
});
