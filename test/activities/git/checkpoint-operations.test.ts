import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { takeCheckpoint } from '../../../activities/git/checkpoint.ts';
import { restoreCheckpoint } from '../../../activities/git/restore-checkpoint.ts';
import { taskAdminDir } from '../../../activities/git/task-repository.ts';
import { createWorkspace } from '../../../activities/git/workspace.ts';
import type { RunPlace } from '../../../workflows/domain/agent.ts';
import { withRepository, type TestProject } from '../../helpers/with-repository.ts';

const KEY = 'audit/1';

interface World {
  project: TestProject;
  place: RunPlace;
  git: (...args: string[]) => Promise<string>;
  write: (files: Record<string, string>) => Promise<void>;
}

const merge = ({ git }: World) => git('merge', '--quiet', 'side').catch(() => '');
const rebase = ({ git }: World) => git('rebase', '--quiet', 'side').catch(() => '');
const pick = ({ git }: World) => git('cherry-pick', 'side~1', 'side').catch(() => '');

/** What stands half-way, what a readonly step does to it, and a file that tells of it. */
const cases: [string, (world: World) => Promise<string>, string[][], string][] = [
  ['a merge that was aborted', merge, [['merge', '--abort']], 'MERGE_HEAD'],
  [
    'a merge that was committed',
    merge,
    [
      ['add', '--all'],
      ['commit', '--quiet', '-m', 'mine'],
    ],
    'MERGE_HEAD',
  ],
  ['a merge that was given up', merge, [['merge', '--quit']], 'MERGE_MODE'],
  ['a merge that was thrown away', merge, [['reset', '--quiet', '--hard']], 'AUTO_MERGE'],
  ['a rebase that was aborted', rebase, [['rebase', '--abort']], 'rebase-merge/git-rebase-todo'],
  ['a pick that was skipped', pick, [['cherry-pick', '--skip']], 'CHERRY_PICK_HEAD'],
  ['a pick that was aborted', pick, [['cherry-pick', '--abort']], 'sequencer/todo'],
];

describe('restoreCheckpoint', () => {
  it.each(cases)(
    'brings back %s by a readonly step (#53)',
    async (_title, begin, misdeed, file) => {
      await inConflict(async (world) => {
        await begin(world);
        const before = await pictureOf(world);
        expect(Object.keys(before.operations)).toContain(file);
        await takeCheckpoint(world.place, KEY);
        for (const args of misdeed) await world.git('-c', 'core.editor=true', ...args);
        expect(await pictureOf(world)).not.toEqual(before);
        await restoreCheckpoint(world.place, KEY);
        expect(await pictureOf(world)).toEqual(before);
      });
    },
  );

  it('keeps the commits and trees alive that a merge names (#53)', async () => {
    await inConflict(async (world) => {
      await merge(world);
      const before = await pictureOf(world);
      await takeCheckpoint(world.place, KEY);
      await world.git('merge', '--abort');
      // Nothing but the checkpoint leads to the other side any more.
      await world.git('branch', '--quiet', '-D', 'side');
      await world.git('reflog', 'expire', '--expire=now', '--all');
      await world.git('gc', '--quiet', '--prune=now');
      await world.git('cat-file', '-e', before.operations['MERGE_HEAD']?.trim() ?? '');
      await world.git('cat-file', '-e', before.operations['AUTO_MERGE']?.trim() ?? '');
      await restoreCheckpoint(world.place, KEY);
      await world.write({ 'src/app.txt': 'both\n' });
      await world.git('commit', '--quiet', '--all', '-m', 'merged');
      expect(await world.git('log', '-1', '--format=%p')).toMatch(/^\w+ \w+$/);
    });
  });

  it('reads a checkpoint that an older version wrote (#53)', async () => {
    await inConflict(async (world) => {
      await merge(world);
      const src = path.join(world.place.workspace, 'src');
      await world.project.git(['init', '--quiet'], src);
      const { commit } = await takeCheckpoint(world.place, KEY);
      await makeOlder(world, commit);
      const before = await pictureOf(world);
      await world.write({ 'README.md': 'spoilt\n' });
      await restoreCheckpoint(world.place, KEY);
      expect(await pictureOf(world)).toEqual(before);
      expect(await readdir(src)).toContain('.git');
    });
  });

  it('deletes no repository behind a link in the place of a folder (#53)', async () => {
    await inConflict(async (world) => {
      await takeCheckpoint(world.place, KEY);
      const src = path.join(world.place.workspace, 'src');
      await rm(src, { recursive: true });
      await symlink(world.project.dir, src);
      await restoreCheckpoint(world.place, KEY);
      expect(await readdir(world.project.dir)).toContain('.git');
      expect(await readFile(path.join(src, 'app.txt'), 'utf8')).toBe('ours\n');
    });
  });
});

/** A workspace whose branch and `side` have changed the same file. */
async function inConflict(use: (world: World) => Promise<void>): Promise<void> {
  await withRepository(async (project) => {
    const place = project.place();
    await createWorkspace(place);
    const git = (...args: string[]) => project.git(args, place.workspace);
    const write = (files: Record<string, string>) => project.write(files, place.workspace);
    await git('checkout', '--quiet', '-b', 'side');
    await write({ 'src/app.txt': 'theirs\n' });
    await git('commit', '--quiet', '--all', '-m', 'side');
    await write({ 'side.txt': 'side\n' });
    await git('add', 'side.txt');
    await git('commit', '--quiet', '-m', 'side again');
    await git('checkout', '--quiet', 'task/TASK-001-1700000000');
    await write({ 'src/app.txt': 'ours\n' });
    await git('commit', '--quiet', '--all', '-m', 'work');
    await use({ project, place, git, write });
  });
}

/** Takes out of a checkpoint what checkpoints did not have before. */
async function makeOlder({ place, git }: World, commit: string): Promise<void> {
  const text = await git('cat-file', 'blob', `${commit}:record.json`);
  const { operationFiles, innerGitFolders, ...older } = JSON.parse(text) as Record<string, unknown>;
  expect([operationFiles, innerGitFolders]).not.toContain(undefined);
  const file = path.join(place.workerDir, 'older.json');
  await writeFile(file, JSON.stringify(older));
  const blob = await git('hash-object', '-w', file);
  // A replacement of the blob is what every command sees in its place.
  await git('replace', await git('rev-parse', `${commit}:record.json`), blob);
}

async function pictureOf({ git, place }: World) {
  const adminDir = taskAdminDir(place);
  const operations: Record<string, string> = {};
  for (const entry of await readdir(adminDir, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(adminDir, file);
    if (entry.isFile() && PARTS_OF_OPERATIONS.test(name))
      operations[name] = await readFile(file, 'utf8');
  }
  return {
    operations,
    head: await git('rev-parse', 'HEAD'),
    index: await git('ls-files', '--stage'),
    status: await git('status'),
    file: await readFile(path.join(place.workspace, 'src/app.txt'), 'utf8'),
  };
}

const PARTS_OF_OPERATIONS = /^(MERGE_|AUTO_MERGE|CHERRY_PICK_HEAD|REBASE_HEAD|rebase-|sequencer)/;
