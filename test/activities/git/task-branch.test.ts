import { describe, expect, it } from '@jest/globals';
import { baseOf, returnToBranch } from '../../../activities/git/task-branch.ts';
import { enterWorkspace } from '../../../activities/git/task-repository.ts';
import type { RunPlace } from '../../../workflows/domain/agent.ts';
import { workOn } from '../../helpers/with-pull-request.ts';
import { withRepository, type TestProject } from '../../helpers/with-repository.ts';

const BRANCH = 'task/TASK-001-1700000000';

describe('returnToBranch', () => {
  it.each<[string, string[][]]>([
    ['stays on the branch', []],
    ['returns from a detached HEAD', [['checkout', '--quiet', '--detach']]],
    ['returns from an older commit', [['checkout', '--quiet', '--detach', 'HEAD~1']]],
    ['returns from another branch at the same commit', [['checkout', '--quiet', '-b', 'other']]],
    [
      'makes the branch again when it was deleted',
      [
        ['checkout', '--quiet', '--detach'],
        ['branch', '--quiet', '-D', BRANCH],
      ],
    ],
  ])('%s', async (_title, commands) => {
    await inWork(async ({ project, place, head }) => {
      for (const command of commands) await project.git(command, place.workspace);
      await returnToBranch(await enterWorkspace(place));
      expect(await project.git(['branch', '--show-current'], place.workspace)).toBe(BRANCH);
      expect(await project.git(['rev-parse', 'HEAD'], place.workspace)).toBe(head);
    });
  });

  it('takes over what was committed beside the branch, on top of it', async () => {
    await inWork(async ({ project, place }) => {
      await project.git(['checkout', '--quiet', '--detach'], place.workspace);
      await project.git(['commit', '--quiet', '--allow-empty', '-m', 'more'], place.workspace);
      const more = await project.git(['rev-parse', 'HEAD'], place.workspace);
      await returnToBranch(await enterWorkspace(place));
      expect(await project.git(['rev-parse', BRANCH], place.workspace)).toBe(more);
    });
  });

  it('refuses where either way would lose work', async () => {
    await inWork(async ({ project, place }) => {
      await project.git(['checkout', '--quiet', '--detach', 'HEAD~1'], place.workspace);
      await project.write({ 'README.md': 'unsaved\n' }, place.workspace);
      await expect(returnToBranch(await enterWorkspace(place))).rejects.toMatchObject({
        code: 'COMMIT_REFUSED',
      });
    });
  });
});

describe('baseOf', () => {
  it('is the commit the task began at, wherever the target goes', async () => {
    await inWork(async ({ project, place, base }) => {
      await project.commit('Second', { 'README.md': 'two\n' });
      await project.git(['branch', '--force', 'main', 'HEAD'], place.workspace);
      expect(await baseOf(await enterWorkspace(place))).toBe(base);
    });
  });
});

async function inWork(
  use: (world: {
    project: TestProject;
    place: RunPlace;
    head: string;
    base: string;
  }) => Promise<void>,
): Promise<void> {
  await withRepository(async (project) => {
    const base = await project.git(['rev-parse', 'HEAD']);
    const place = await workOn(project, { 'new.txt': 'x\n' });
    const head = await project.git(['rev-parse', 'HEAD'], place.workspace);
    await use({ project, place, head, base });
  });
}
