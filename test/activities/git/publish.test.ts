import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openPublisher, publishBranch } from '../../../activities/git/publish.ts';
import type { RunPlace } from '../../../workflows/domain/agent.ts';
import { pictureOf, workOn } from '../../helpers/with-pull-request.ts';
import { withRepository, type TestProject } from '../../helpers/with-repository.ts';

const BRANCH = 'refs/heads/task/TASK-001-1700000000';

describe('publishBranch', () => {
  it('brings the branch to the publisher and changes nothing in the project (#113)', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'new.txt': 'x\n' });
      const before = await pictureOf(project);
      const head = await project.git(['rev-parse', 'HEAD'], place.workspace);
      expect(await publishBranch(place)).toEqual({ head });
      expect(await publishBranch(place)).toEqual({ head });
      expect(await tipIn(project, place)).toBe(head);
      expect(await pictureOf(project)).toEqual(before);
    });
  });

  it('follows a branch that was rewritten', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'new.txt': 'x\n' });
      await publishBranch(place);
      await project.git(['commit', '--quiet', '--amend', '-m', 'other'], place.workspace);
      const { head } = await publishBranch(place);
      expect(await tipIn(project, place)).toBe(head);
    });
  });

  it('refuses a broken object that an agent wrote', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'new.txt': 'x\n' });
      const { workspace } = place;
      const tree = await project.git(['rev-parse', 'HEAD^{tree}'], workspace);
      await writeFile(path.join(place.workerDir, 'commit'), `tree ${tree}\nauthor nobody\n\nbad\n`);
      const bad = await project.git(
        ['hash-object', '-t', 'commit', '--literally', '-w', path.join(place.workerDir, 'commit')],
        workspace,
      );
      await project.write(
        { 'refs/heads/task/TASK-001-1700000000': `${bad}\n` },
        path.join(place.workerDir, 'repo.git'),
      );
      await expect(publishBranch(place)).rejects.toMatchObject({ code: 'GIT_FAILED' });
      await expect(tipIn(project, place)).rejects.toThrow();
    });
  });

  it('says so when the branch has vanished', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'new.txt': 'x\n' });
      await project.git(['checkout', '--quiet', '--detach'], place.workspace);
      await project.git(['update-ref', '-d', BRANCH], place.workspace);
      await expect(publishBranch(place)).rejects.toMatchObject({ code: 'WORKSPACE_GONE' });
    });
  });

  it('runs no hook, filter or helper that an agent planted', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'new.txt': 'x\n' });
      const trap = path.join(place.workerDir, 'trap');
      const repo = path.join(place.workerDir, 'repo.git');
      const config = `[uploadpack]\n\tpackObjectsHook = touch ${trap}\n[core]\n\tfsmonitor = touch ${trap}\n`;
      await writeFile(path.join(repo, 'config'), config);
      await project.write({ 'hooks/post-update': `#!/bin/sh\ntouch ${trap}\n` }, repo);
      await publishBranch(place);
      await expect(readFile(trap)).rejects.toMatchObject({ code: 'ENOENT' });
    });
  });
});

describe('openPublisher', () => {
  it('refuses a repository that is not ours', async () => {
    await withRepository(async (project) => {
      const place = project.place();
      await mkdir(path.join(place.ralphDir, 'publisher.git'));
      await expect(openPublisher(place)).rejects.toMatchObject({ code: 'WORKSPACE_FOREIGN' });
    });
  });

  it('is made again after a death in the middle, and by many at once', async () => {
    await withRepository(async (project) => {
      const place = project.place();
      const half = path.join(place.ralphDir, 'publisher.git.unfinished-0123abcd');
      await project.write({ HEAD: 'ref: x\n' }, half);
      await Promise.all([1, 2, 3, 4].map(() => openPublisher(place)));
      const publisher = path.join(place.ralphDir, 'publisher.git');
      expect(await project.git(['rev-parse', '--is-bare-repository'], publisher)).toBe('true');
      expect(await project.git(['fsck', '--no-dangling'], publisher)).toBe('');
      // What the four made beside it is gone; what a dead process left is not ours to judge.
      const beside = (await readdir(place.ralphDir)).filter((name) => name.startsWith('publisher'));
      expect(beside.sort()).toEqual(['publisher.git', path.basename(half)]);
    });
  });
});

function tipIn(project: TestProject, { ralphDir }: RunPlace): Promise<string> {
  return project.git(['rev-parse', '--verify', BRANCH], path.join(ralphDir, 'publisher.git'));
}
