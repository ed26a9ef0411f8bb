import { copyFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { commitStep } from '../../../../activities/git/commit.ts';
import { mergePullRequest } from '../../../../activities/forge/local/merge-pull-request.ts';
import { openPullRequest } from '../../../../activities/forge/local/open-pull-request.ts';
import { findPullRequest } from '../../../../config/pull-request-file.ts';
import type { RunPlace } from '../../../../workflows/domain/agent.ts';
import { performAndDie, type DeathPoint } from '../../../helpers/perform-and-die.ts';
import { workOn } from '../../../helpers/with-pull-request.ts';
import { withRepository, type TestProject } from '../../../helpers/with-repository.ts';

const AT = 1700000200;

const POINTS: [string, DeathPoint][] = [
  ['before the objects are brought over', { before: 'fetch --quiet' }],
  ['after the objects were brought over', { after: 'fetch --quiet' }],
  ['before the files are written', { before: 'read-tree -m -u' }],
  ['between the files and the branch', { after: 'read-tree -m -u' }],
  ['between the branch and the next look', { after: 'update-ref -m' }],
  ['before our own ref is let go', { before: 'update-ref -d' }],
  ['between effect and report', { when: 'before the report' }],
];

describe('a merge whose process is killed', () => {
  it.each(POINTS)(
    '%s is finished once by the next attempt (#118)',
    async (_title, at) => {
      await withRepository(async (project) => {
        const place = await aChange(project);
        const input = { place, number: 1, timestamp: AT };
        await performAndDie('merge-pull-request.ts', 'mergePullRequest', input, at);
        const merged = await mergePullRequest(input);
        await expectOneMerge(project, place, merged);
      });
    },
    60_000,
  );

  it('in the middle of the files, before the index, is finished by the next attempt', async () => {
    await withRepository(async (project) => {
      const place = await aChange(project);
      const index = path.join(project.dir, '.git/index');
      await copyFile(index, `${index}.before`);
      const input = { place, number: 1, timestamp: AT };
      const at = { after: 'read-tree -m -u' };
      await performAndDie('merge-pull-request.ts', 'mergePullRequest', input, at);
      await copyFile(`${index}.before`, index);
      await rm(path.join(project.dir, 'src/deep/new.txt')); // not written yet
      // A later attempt of the train has another time, so another commit with the same files.
      const merged = await mergePullRequest({ ...input, timestamp: AT + 60 });
      await expectOneMerge(project, place, merged);
    });
  });

  it('is not finished over a file that a person changed meanwhile', async () => {
    await withRepository(async (project) => {
      const place = await aChange(project);
      const input = { place, number: 1, timestamp: AT };
      const at = { after: 'read-tree -m -u' };
      await performAndDie('merge-pull-request.ts', 'mergePullRequest', input, at);
      await project.write({ 'README.md': 'mine\n' });
      expect(await mergePullRequest(input)).toEqual({
        kind: 'blocked',
        reason: expect.stringMatching(/: README.md is changed; commit or stash it$/),
      });
    });
  });
});

/** Changes, adds and removes a file. */
async function aChange(project: TestProject): Promise<RunPlace> {
  await project.commit('More', { 'gone.txt': 'old\n' });
  const place = await workOn(project, { 'README.md': 'two\n', 'src/deep/new.txt': 'new\n' });
  await rm(path.join(place.workspace, 'gone.txt'));
  await commitStep(place, { message: 'Remove', key: 'remove', timestamp: 1700000150 });
  await openPullRequest({ place, title: 'Do it', target: 'main', steps: [] });
  return place;
}

async function expectOneMerge(
  project: TestProject,
  { ralphDir }: RunPlace,
  merged: Awaited<ReturnType<typeof mergePullRequest>>,
): Promise<void> {
  const tip = await project.git(['rev-parse', 'main']);
  expect(merged).toEqual({ kind: 'merged', commit: tip });
  expect(await project.git(['log', '--format=%s', 'main'])).toBe('TASK-001: Do it\nMore\nFirst');
  expect(await project.git(['status', '--porcelain'])).toBe('');
  expect(await project.git(['for-each-ref', 'refs/wiggum/merge'])).toBe('');
  expect(await findPullRequest(ralphDir, 1)).toMatchObject({ state: 'merged', mergedAs: tip });
}
