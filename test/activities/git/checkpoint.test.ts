import { chmod, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { takeCheckpoint } from '../../../activities/git/checkpoint.ts';
import { restoreCheckpoint } from '../../../activities/git/restore-checkpoint.ts';
import { createWorkspace } from '../../../activities/git/workspace.ts';
import type { RunPlace } from '../../../workflows/domain/agent.ts';
import { makeRepository, type TestProject } from '../../helpers/with-repository.ts';

const KEY = 'audit/1';

interface World {
  project: TestProject;
  place: RunPlace;
  git: (...args: string[]) => Promise<string>;
  write: (files: Record<string, string>) => Promise<void>;
  remove: (file: string) => Promise<void>;
}

const misdeeds: [string, (world: World) => Promise<unknown>][] = [
  ['edits a tracked file', ({ write }) => write({ 'README.md': 'spoilt\n' })],
  ['edits a file with the same size', ({ write }) => write({ 'src/app.txt': 'two\n' })],
  ['edits the uncommitted work of an earlier step', ({ write }) => write({ 'dirty.txt': 'no\n' })],
  ['edits an untracked file', ({ write }) => write({ 'untracked.txt': 'no\n' })],
  ['adds files', ({ write }) => write({ 'deep/er/new.txt': 'x\n' })],
  ['deletes a tracked file', ({ remove }) => remove('README.md')],
  ['deletes an untracked file', ({ remove }) => remove('untracked.txt')],
  ['deletes a whole folder', ({ remove }) => remove('src')],
  [
    'replaces a folder by a link',
    async ({ remove, place, project }) => {
      await remove('src');
      await symlink(path.dirname(project.dir), path.join(place.workspace, 'src'));
    },
  ],
  ['makes a file executable', ({ place }) => chmod(path.join(place.workspace, 'README.md'), 0o755)],
  ['stages everything', ({ git }) => git('add', '--all')],
  ['unstages what was staged', ({ git }) => git('reset', '--quiet')],
  ['throws all changes away', ({ git }) => git('reset', '--quiet', '--hard')],
  ['cleans untracked files', ({ git }) => git('clean', '--quiet', '-fdx')],
  ['stashes', ({ git }) => git('stash', '--include-untracked')],
  ['drops a stash', ({ git }) => git('stash', 'drop', '--quiet')],
  ['tags', ({ git }) => git('tag', 'v1')],
  ['commits', ({ git }) => git('commit', '--quiet', '--all', '-m', 'mine')],
  ['moves the branch back', ({ git }) => git('reset', '--quiet', '--soft', 'HEAD~1')],
  ['makes and enters a branch', ({ git }) => git('checkout', '--quiet', '-b', 'other')],
  ['detaches HEAD', ({ git }) => git('checkout', '--quiet', '--detach')],
  [
    'deletes the branch it stands on',
    async ({ git }) => {
      await git('checkout', '--quiet', '--detach');
      await git('branch', '--quiet', '-D', 'task/TASK-001-1700000000');
      await git('update-ref', 'refs/heads/task/TASK-001-1700000000/below', 'HEAD');
    },
  ],
  ['moves the base branch', ({ git }) => git('update-ref', 'refs/heads/main', 'HEAD')],
  [
    'begins a merge',
    async ({ git }) => {
      await git('stash', '--quiet', '--include-untracked');
      await git('merge', '--quiet', '--no-commit', '--no-ff', 'side');
    },
  ],
  [
    'hides its files behind a new ignore rule',
    ({ write }) =>
      write({
        '.gitignore': '*\n',
        'hidden.txt': 'x\n',
        'box/.gitignore': '*\n',
        'box/y.txt': 'y',
      }),
  ],
  ['drops the ignore rules', ({ remove }) => remove('.gitignore')],
  [
    'hides an edit from the index',
    async ({ git, write }) => {
      await git('update-index', '--assume-unchanged', 'README.md');
      await write({ 'README.md': 'secretly\n' });
    },
  ],
  [
    'makes a repository inside',
    ({ project, place }) => project.git(['init', '--quiet', 'nested'], place.workspace),
  ],
  [
    'makes a repository of a folder with tracked files',
    async ({ project, place }) => {
      const src = path.join(place.workspace, 'src');
      await project.git(['init', '--quiet'], src);
      await project.git(['add', '--all'], src);
      await project.git(['commit', '--quiet', '-m', 'mine'], src);
    },
  ],
  [
    'deletes the checkpoint',
    async ({ git }) => {
      const refs = await git('for-each-ref', '--format=%(refname)', 'refs/wiggum');
      for (const ref of refs.split('\n')) await git('update-ref', '-d', ref);
    },
  ],
  [
    'leaves a lock',
    ({ place }) =>
      writeFile(path.join(place.workerDir, 'repo.git/worktrees/workspace/index.lock'), ''),
  ],
];

describe('restoreCheckpoint', () => {
  // One workspace for all: what one misdeed leaves behind, the next case would see.
  describe('in a busy workspace', () => {
    let world: World;
    let before: Awaited<ReturnType<typeof pictureOf>>;
    beforeAll(async () => {
      world = await makeBusyWorkspace();
      before = await pictureOf(world);
    });
    afterAll(() => world.project.remove());

    it.each(misdeeds)(
      'puts everything back when a readonly step %s (#53)',
      async (title, spoil) => {
        await takeCheckpoint(world.place, title);
        await spoil(world);
        await restoreCheckpoint(world.place, title);
        expect(await pictureOf(world)).toEqual(before);
      },
    );
  });

  it('keeps ignored files and what lies beside the workspace (#53)', async () => {
    await inBusyWorkspace(async (world) => {
      await takeCheckpoint(world.place, KEY);
      await world.write({ 'node_modules/cache': 'new\n' });
      await world.project.write({ 'reports/audit.md': 'found' }, world.place.workerDir);
      await restoreCheckpoint(world.place, KEY);
      const read = (name: string) => readFile(path.join(world.place.workerDir, name), 'utf8');
      expect(await read('workspace/node_modules/cache')).toBe('new\n');
      expect(await read('workspace/venv/bin')).toBe('y\n');
      expect(await read('reports/audit.md')).toBe('found');
    });
  });

  it('restores the first checkpoint of a key although a retry takes it again (#53)', async () => {
    await inBusyWorkspace(async (world) => {
      const first = await takeCheckpoint(world.place, KEY);
      const before = await pictureOf(world);
      await world.write({ 'README.md': 'half way\n' });
      expect(await takeCheckpoint(world.place, KEY)).toEqual(first);
      await restoreCheckpoint(world.place, KEY);
      await restoreCheckpoint(world.place, KEY);
      expect(await pictureOf(world)).toEqual(before);
    });
  });

  it('says so when there is no such checkpoint', async () => {
    await inBusyWorkspace(async ({ place }) => {
      await expect(restoreCheckpoint(place, 'other')).rejects.toMatchObject({
        code: 'WORKSPACE_GONE',
      });
    });
  });

  it('leaves files alone that did not change', async () => {
    await inBusyWorkspace(async ({ place, write }) => {
      await takeCheckpoint(place, KEY);
      const before = await stat(path.join(place.workspace, 'src/app.txt'));
      await write({ 'README.md': 'spoilt\n' });
      await restoreCheckpoint(place, KEY);
      const after = await stat(path.join(place.workspace, 'src/app.txt'));
      expect(after.mtimeMs).toBe(before.mtimeMs);
    });
  });
});

async function inBusyWorkspace(use: (world: World) => Promise<void>): Promise<void> {
  const world = await makeBusyWorkspace();
  try {
    await use(world);
  } finally {
    await world.project.remove();
  }
}

/** A workspace in the middle of work: commits, a stash, staged, unstaged, untracked and ignored files. */
async function makeBusyWorkspace(): Promise<World> {
  const project = await makeRepository();
  const place = project.place();
  await createWorkspace(place);
  const git = (...args: string[]) => project.git(args, place.workspace);
  const write = (files: Record<string, string>) => project.write(files, place.workspace);
  const remove = (file: string) => rm(path.join(place.workspace, file), { recursive: true });
  await git('checkout', '--quiet', '-b', 'side');
  await write({ 'side.txt': 'side\n' });
  await git('add', 'side.txt');
  await git('commit', '--quiet', '-m', 'side');
  await git('checkout', '--quiet', 'task/TASK-001-1700000000');
  await write({ '.gitignore': 'node_modules/\n', 'dirty.txt': 'clean\n' });
  await git('add', '--all');
  await git('commit', '--quiet', '-m', 'work');
  await write({ 'README.md': 'stashed\n' });
  await git('stash', '--quiet');
  await write({
    'dirty.txt': 'unstaged work\n',
    'staged.txt': 'staged work\n',
    'untracked.txt': 'untracked work\n',
    'node_modules/cache': 'ignored\n',
    'venv/.gitignore': '*\n',
    'venv/bin': 'y\n',
  });
  await git('add', 'staged.txt');
  return { project, place, git, write, remove };
}

async function pictureOf({ git, place }: World) {
  const entries = await readdir(place.workspace, { recursive: true, withFileTypes: true });
  const files: Record<string, string> = {};
  for (const entry of entries) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(place.workspace, file);
    if (!entry.isFile()) continue;
    const { mode } = await stat(file);
    // `clean -x` may take ignored files away: they are not part of the promise.
    if (!/^(node_modules|venv)\//.test(name))
      files[name] = `${(mode & 0o111) !== 0} ${await readFile(file, 'utf8')}`;
  }
  const refs = await git('for-each-ref', '--format=%(objectname) %(refname)');
  return {
    files,
    head: await git('rev-parse', 'HEAD'),
    branch: await git('symbolic-ref', 'HEAD'),
    index: await git('ls-files', '--stage', '-v'),
    status: await git('status', '--porcelain'),
    refs: refs.split('\n').filter((line) => !line.includes('refs/wiggum/checkpoint/')),
    stash: await git('stash', 'list'),
  };
}
