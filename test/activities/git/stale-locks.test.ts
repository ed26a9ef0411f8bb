import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { commitStep } from '../../../activities/git/commit.ts';
import { removeStaleLocks, waitForGit } from '../../../activities/git/stale-locks.ts';
import { workOn } from '../../helpers/with-pull-request.ts';
import { withRepository } from '../../helpers/with-repository.ts';

const STEP = { message: 'Next', key: 'next', timestamp: 1700000300 };

describe('locks that dead processes left', () => {
  it.each(['worktrees/workspace/index.lock', 'HEAD.lock', 'refs/heads/task/x.lock', 'config.lock'])(
    '%s does not stop the next commit',
    async (lock) => {
      await withRepository(async (project) => {
        const place = await workOn(project, { 'one.txt': '1\n' });
        const gitDir = path.join(place.workerDir, 'repo.git');
        await project.write({ [lock]: '' }, gitDir);
        await project.write({ 'two.txt': '2\n' }, place.workspace);
        expect((await commitStep(place, STEP)).commit).toBeDefined();
        await expect(access(path.join(gitDir, lock))).rejects.toMatchObject({ code: 'ENOENT' });
      });
    },
  );

  it('leaves what lies among the objects', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'one.txt': '1\n' });
      const gitDir = path.join(place.workerDir, 'repo.git');
      const file = path.join(gitDir, 'objects/pack/pack-1.lock');
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, '');
      await removeStaleLocks(gitDir);
      await access(file);
    });
  });
});

describe('waitForGit', () => {
  it('waits for a git process that still works there', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'one.txt': '1\n' });
      const writer = await git(place.workspace);
      let mayEnd = false;
      const wait = waitForGit(place.workerDir).then(() => mayEnd);
      await Promise.race([wait, sleep(300)]);
      mayEnd = true;
      writer.stdin?.end();
      // It did not come back before the writer was let go.
      expect(await wait).toBe(true);
    });
  });

  it('does not wait for one that works elsewhere, or has a name that begins alike', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'one.txt': '1\n' });
      const other = await workOn(project, { 'two.txt': '2\n' }, 'TASK-0011');
      const writer = await git(other.workspace);
      await expect(waitForGit(place.workerDir)).resolves.toBeUndefined();
      expect(writer.exitCode).toBeNull();
      writer.stdin?.end();
      await once(writer, 'exit');
    });
  });
});

/** A git that works in a folder, as its first answer shows, until its input ends. */
async function git(cwd: string): Promise<ChildProcess> {
  const child = spawn('git', ['cat-file', '--batch-check'], {
    cwd,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.write('HEAD\n');
  await once(child.stdout, 'data');
  return child;
}
