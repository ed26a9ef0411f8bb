import { WiggumError } from '../../workflows/domain/errors.ts';
import { askGit, git, type Repository } from './git.ts';
import { isAncestor, tipOf } from './project-repository.ts';
import { baseRef, taskBranch } from './run-names.ts';
import type { Workspace } from './task-repository.ts';

/**
 * The commit the task's work begins at. Not the recorded one: after a rebase the branch stands on
 * newer commits of the target. And not the target in the task repository, which an agent may move.
 */
export async function baseOf({ tree, marker, place }: Workspace): Promise<string> {
  const project: Repository = { kind: 'project', directory: place.projectDir };
  const kept = (await tipOf(project, baseRef(place))) ?? marker.base;
  // What a merge under way brings in from the target is the target's work.
  if ((await tipOf(tree, 'MERGE_HEAD')) === kept) return kept;
  const answer = await askGit(tree, ['merge-base', kept, 'HEAD']);
  return answer.exitCode === 0 ? answer.stdout : marker.base;
}

/** Lets the task repository know the newest commit of the target, kept alive in the project. */
export async function bringTarget({ tree, place }: Workspace, target: string): Promise<string> {
  const project: Repository = { kind: 'project', directory: place.projectDir };
  const base = await tipOf(project, `refs/heads/${target}`);
  if (!base)
    throw new WiggumError('NO_COMMIT', `the branch ${target} has vanished`, {
      where: place.projectDir,
    });
  await git(project, ['update-ref', baseRef(place), base]);
  await git(tree, ['update-ref', `refs/heads/${target}`, base]);
  return base;
}

/**
 * Puts HEAD back on the task's branch when an agent left it elsewhere. Work that continues the
 * branch is taken over; a clean foreign commit is left; anything else would lose work either way.
 */
export async function returnToBranch({ tree, place }: Workspace): Promise<void> {
  const branch = `refs/heads/${taskBranch(place)}`;
  const at = await askGit(tree, ['symbolic-ref', '--quiet', 'HEAD']);
  const head = await tipOf(tree, 'HEAD');
  const tip = await tipOf(tree, branch);
  if (head && at.stdout === branch) return;
  if (head && (!tip || (await isAncestor(tree, tip, head)))) {
    await git(tree, ['update-ref', branch, head, tip ?? '']);
    await git(tree, ['symbolic-ref', 'HEAD', branch]);
    return;
  }
  if (!tip)
    throw new WiggumError('WORKSPACE_GONE', `the branch ${taskBranch(place)} has vanished`, {
      where: place.taskId,
    });
  const changed = await git(tree, ['status', '--porcelain', '--untracked-files=no']);
  if (!head || changed !== '')
    throw new WiggumError(
      'COMMIT_REFUSED',
      `the workspace stands on ${at.stdout || head}, which does not contain ${taskBranch(place)}, with uncommitted changes`,
      { where: place.taskId },
    );
  await git(tree, ['checkout', '--quiet', taskBranch(place), '--']);
}
