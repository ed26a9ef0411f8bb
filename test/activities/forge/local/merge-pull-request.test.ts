import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { mergePullRequest } from '../../../../activities/forge/local/merge-pull-request.ts';
import { findPullRequest } from '../../../../config/pull-request-file.ts';
import { pictureOf, proposeChange } from '../../../helpers/with-pull-request.ts';
import { withRepository, type TestProject } from '../../../helpers/with-repository.ts';

const AT = 1700000200;

describe('mergePullRequest', () => {
  it('puts one commit with title and trailers on the target (#22)', async () => {
    await withRepository(async (project) => {
      await project.git(['checkout', '--quiet', '--detach']);
      const before = await project.git(['rev-parse', 'main']);
      const { place, pullRequest } = await proposeChange(project, { 'src/new.txt': 'new\n' });
      const merged = await mergePullRequest({ place, number: 1, timestamp: AT });
      const tip = await project.git(['rev-parse', 'main']);
      expect(merged).toEqual({ kind: 'merged', commit: tip });
      expect(await project.git(['log', '-1', '--format=%P%n%B%an %at %ct', tip])).toBe(
        [
          before,
          'TASK-001: Do it',
          '',
          'Wiggum-Pull-Request: 1',
          'Wiggum-Task-Run: TASK-001-1700000000',
          `Chief Wiggum ${AT} ${AT}`,
        ].join('\n'),
      );
      expect(await project.git(['show', `${tip}:src/new.txt`])).toBe('new');
      expect(await findPullRequest(place.ralphDir, 1)).toEqual({
        ...pullRequest,
        state: 'merged',
        mergedAs: tip,
      });
    });
  });

  it('brings the branch again when somebody removed the publisher', async () => {
    await withRepository(async (project) => {
      const { place } = await proposeChange(project, { 'src/new.txt': 'new\n' });
      await rm(path.join(place.ralphDir, 'publisher.git'), { recursive: true });
      const merged = await mergePullRequest({ place, number: 1, timestamp: AT });
      expect(merged.kind).toBe('merged');
      expect(await project.git(['show', 'main:src/new.txt'])).toBe('new');
    });
  });

  it('changes nothing but the target branch when it is not checked out (#113)', async () => {
    await withRepository(async (project) => {
      await project.git(['checkout', '--quiet', '-b', 'mine']);
      await project.write({ 'README.md': 'unsaved\n', 'note.txt': 'untracked\n' });
      const before = await pictureOf(project);
      const { place } = await proposeChange(project, { 'README.md': 'theirs\n' });
      expect(await pictureOf(project)).toEqual(before);
      const merged = await mergePullRequest({ place, number: 1, timestamp: AT });
      const after = await pictureOf(project);
      expect(merged.kind).toBe('merged');
      const others = (refs: string[]) => refs.filter((line) => !line.endsWith(' refs/heads/main'));
      expect(after).toEqual({ ...before, refs: after.refs });
      expect(others(after.refs)).toEqual(others(before.refs));
    });
  });

  it('fast-forwards a clean checkout of the target (#113)', async () => {
    await withRepository(async (project) => {
      await project.commit('More', { 'old.txt': 'old\n' });
      const { place } = await proposeChange(project, {
        'README.md': 'two\n',
        'new/file.txt': 'x\n',
      });
      const before = await pictureOf(project);
      const merged = await mergePullRequest({ place, number: 1, timestamp: AT });
      const after = await pictureOf(project);
      expect(merged).toEqual({ kind: 'merged', commit: await project.git(['rev-parse', 'HEAD']) });
      expect(await project.git(['status', '--porcelain'])).toBe('');
      expect(after).toEqual({
        ...before,
        refs: after.refs,
        index: after.index,
        files: { ...before.files, 'README.md': 'two\n', 'new/file.txt': 'x\n' },
      });
      expect(await project.git(['reflog', '-1', '--format=%gs', 'main'])).toBe(
        'wiggum: merge pull request 1',
      );
    });
  });

  it('keeps what nobody tracks (#113)', async () => {
    await withRepository(async (project) => {
      await project.commit('More', { '.gitignore': 'build/\n' });
      const { place } = await proposeChange(project, { 'new.txt': 'x\n' });
      await project.write({ 'build/out.txt': 'built\n', 'mine.txt': 'mine\n' });
      const { files } = await pictureOf(project);
      expect(await mergePullRequest({ place, number: 1, timestamp: AT })).toMatchObject({
        kind: 'merged',
      });
      expect((await pictureOf(project)).files).toEqual({ ...files, 'new.txt': 'x\n' });
    });
  });

  it('says that the branch is behind when the target has moved', async () => {
    await withRepository(async (project) => {
      const { place } = await proposeChange(project, { 'new.txt': 'x\n' });
      await project.commit('Second', { 'README.md': 'two\n' });
      const before = await pictureOf(project);
      expect(await mergePullRequest({ place, number: 1, timestamp: AT })).toEqual({
        kind: 'behind',
      });
      expect(await pictureOf(project)).toEqual(before);
    });
  });

  it.each<[string, (project: TestProject) => Promise<unknown>, string]>([
    [
      'a changed file',
      (project) => project.write({ 'src/app.txt': 'unsaved\n' }),
      'src/app.txt is changed; commit or stash it',
    ],
    [
      'a staged file',
      async (project) => {
        await project.write({ 'staged.txt': 'x\n' });
        await project.git(['add', 'staged.txt']);
      },
      'staged.txt is changed',
    ],
    [
      'a changed file that the merge touches too',
      (project) => project.write({ 'README.md': 'mine\n' }),
      'README.md is changed',
    ],
    [
      'an untracked file in the way',
      (project) => project.write({ 'new/file.txt': 'mine\n' }),
      'new/file.txt is in the way and not tracked; move it away',
    ],
    [
      'an untracked file where a folder must be',
      (project) => project.write({ new: 'mine\n' }),
      'new is in the way and not tracked',
    ],
    [
      'an ignored file in the way',
      async (project) => {
        await writeFile(path.join(project.dir, '.git/info/exclude'), 'new/\n');
        await project.write({ 'new/file.txt': 'secret\n' });
      },
      'new/file.txt is in the way',
    ],
    [
      'a lock that another git holds',
      (project) => project.write({ 'index.lock': '' }, path.join(project.dir, '.git')),
      'index.lock',
    ],
    [
      'a merge that a person has begun',
      async (project) =>
        project.write(
          { MERGE_HEAD: `${await project.git(['rev-parse', 'HEAD'])}\n` },
          path.join(project.dir, '.git'),
        ),
      'a merge of main is going on',
    ],
    [
      'a rebase that a person has begun',
      async (project) => {
        await project.git(['checkout', '--quiet', '--detach']);
        await project.write(
          { 'rebase-merge/head-name': 'refs/heads/main\n' },
          path.join(project.dir, '.git'),
        );
      },
      'a rebase of main is going on',
    ],
  ])(
    'waits with a reason because of %s, and changes nothing (#113)',
    async (_what, spoil, reason) => {
      await withRepository(async (project) => {
        const { place } = await proposeChange(project, {
          'README.md': 'two\n',
          'new/file.txt': 'x\n',
        });
        await spoil(project);
        const before = await pictureOf(project);
        const merged = await mergePullRequest({ place, number: 1, timestamp: AT });
        expect(merged).toEqual({ kind: 'blocked', reason: expect.stringContaining(reason) });
        expect(await pictureOf(project)).toEqual(before);
        expect((await findPullRequest(place.ralphDir, 1)).state).toBe('open');
      });
    },
  );

  it('is not stopped by changes in a tracked .ralph folder', async () => {
    await withRepository(async (project) => {
      await rm(path.join(project.dir, '.ralph/.gitignore'));
      await project.commit('Track the board', { '.ralph/kanban.md': '- [ ] one\n' });
      const { place } = await proposeChange(project, { 'new.txt': 'x\n' });
      await project.write({ '.ralph/kanban.md': '- [P] one\n' });
      expect(await mergePullRequest({ place, number: 1, timestamp: AT })).toMatchObject({
        kind: 'merged',
      });
      expect(await readFile(path.join(project.dir, '.ralph/kanban.md'), 'utf8')).toBe(
        '- [P] one\n',
      );
    });
  });

  it('goes on by itself when the checkout is clean again', async () => {
    await withRepository(async (project) => {
      const { place } = await proposeChange(project, { 'README.md': 'two\n' });
      await project.write({ 'README.md': 'mine\n' });
      expect((await mergePullRequest({ place, number: 1, timestamp: AT })).kind).toBe('blocked');
      await project.git(['checkout', '--', 'README.md']);
      expect((await mergePullRequest({ place, number: 1, timestamp: AT + 9 })).kind).toBe('merged');
    });
  });

  it('refuses the number of another run and a closed pull request', async () => {
    await withRepository(async (project) => {
      const { place, pullRequest } = await proposeChange(project, { 'new.txt': 'x\n' });
      await expect(
        mergePullRequest({ place: project.place('TASK-002'), number: 1, timestamp: AT }),
      ).rejects.toMatchObject({ code: 'PULL_REQUEST_MISSING' });
      const file = path.join(place.ralphDir, 'pull-requests/1/pull-request.json');
      await writeFile(file, JSON.stringify({ ...pullRequest, state: 'closed' }));
      await expect(mergePullRequest({ place, number: 1, timestamp: AT })).rejects.toMatchObject({
        code: 'PULL_REQUEST_MISSING',
      });
    });
  });
});
