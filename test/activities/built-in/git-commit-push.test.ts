import { describe, expect, it } from '@jest/globals';
import type { BuiltInOrder } from '../../../activities/built-in/built-in-order.ts';
import { commitPush } from '../../../activities/built-in/git-commit-push.ts';
import { syncMain } from '../../../activities/built-in/git-sync-main.ts';
import { publisherDir } from '../../../activities/git/publish.ts';
import type { RunPlace } from '../../../workflows/domain/agent.ts';
import { performAndDie, type DeathPoint } from '../../helpers/perform-and-die.ts';
import { workOn } from '../../helpers/with-pull-request.ts';
import { withRepository, type TestProject } from '../../helpers/with-repository.ts';

describe('workflow.git-commit-push', () => {
  it('commits what lies there and publishes the branch (#131)', async () => {
    await withWork(async ({ order, project, place, git, published }) => {
      await project.write({ 'more.txt': 'y\n' }, place.workspace);
      expect(await commitPush(order)).toEqual({ result: 'PASS' });
      expect(await git('log', '-1', '--format=%s|%ct')).toBe(
        'TASK-001: commit-push - commit-push|1700000600',
      );
      expect(await published()).toBe(await git('rev-parse', 'HEAD'));
    });
  });

  it('passes when there is nothing to commit and nothing to publish', async () => {
    await withWork(async ({ order, git, published }) => {
      const head = await git('rev-parse', 'HEAD');
      expect(await commitPush(order)).toEqual({ result: 'PASS' });
      expect(await commitPush({ ...order, runId: 'again' })).toEqual({ result: 'PASS' });
      expect([await git('rev-parse', 'HEAD'), await published()]).toEqual([head, head]);
    });
  });

  it('names its commit after the conflict when there is a plan for it', async () => {
    await withWork(async ({ order, project, place, git }) => {
      await project.write({ 'resolution-plan.md': '# Plan\n' }, place.workerDir);
      await project.write({ 'more.txt': 'y\n' }, place.workspace);
      await commitPush(order);
      expect(await git('log', '-1', '--format=%s')).toBe(
        'TASK-001: commit-push - conflict-resolution',
      );
    });
  });

  it('refuses conflict markers, names the files, and publishes nothing', async () => {
    await withWork(async ({ order, project, published }) => {
      await project.commit('Second', { 'src/app.txt': 'uno\n' });
      expect(await syncMain({ ...order, runId: 'sync-1' })).toMatchObject({ result: 'FAIL' });
      expect(await commitPush(order)).toEqual({
        result: 'FAIL',
        detail: 'conflict markers in src/app.txt',
      });
      await expect(published()).rejects.toThrow();
    });
  });

  it.each<[string, DeathPoint]>([
    ['before the commit', { before: 'commit-tree' }],
    ['between the commit and the branch', { after: 'commit-tree' }],
    ['between the branch and the end of the merge', { after: 'update-ref refs/heads/task' }],
    ['before the publication', { before: 'fetch --quiet' }],
    ['before the report', { when: 'before the report' }],
  ])(
    'concludes a merge and publishes it once, also after a death %s',
    async (_title, at) => {
      await withWork(async ({ order, project, place, git, published }) => {
        await project.commit('Second', { 'src/app.txt': 'uno\n' });
        await syncMain({ ...order, runId: 'sync-1' });
        await project.write({ 'src/app.txt': 'eins und uno\n' }, place.workspace);
        await performAndDie('../../built-in/git-commit-push.ts', 'commitPush', order, at);
        expect(await commitPush(order)).toEqual({ result: 'PASS' });
        expect(await git('log', '--first-parent', '--format=%s', 'main~1..HEAD')).toBe(
          'TASK-001: commit-push - commit-push\nTASK-001: execution - engineering.coder',
        );
        expect(await git('rev-parse', 'HEAD^2')).toBe(await git('rev-parse', 'main'));
        expect(await git('status')).toContain('nothing to commit, working tree clean');
        await expect(git('rev-parse', '--verify', 'MERGE_HEAD')).rejects.toThrow();
        expect(await published()).toBe(await git('rev-parse', 'HEAD'));
      });
    },
    60_000,
  );
});

interface World {
  project: TestProject;
  place: RunPlace;
  order: BuiltInOrder;
  git: (...args: string[]) => Promise<string>;
  /** The branch's commit in the publisher. */
  published: () => Promise<string>;
}

/** A task run that has changed `src/app.txt`. */
async function withWork(use: (world: World) => Promise<void>): Promise<void> {
  await withRepository(async (project) => {
    const place = await workOn(project, { 'src/app.txt': 'eins\n' });
    const order: BuiltInOrder = {
      place,
      agent: 'workflow.git-commit-push',
      runId: 'commit-push-1700000600',
      step: 'commit-push',
      epoch: 1700000600,
      target: 'main',
      title: 'Do it',
    };
    const ref = 'refs/heads/task/TASK-001-1700000000';
    await use({
      project,
      place,
      order,
      git: (...args) => project.git(args, place.workspace),
      published: () => project.git(['rev-parse', '--verify', ref], publisherDir(place)),
    });
  });
}
