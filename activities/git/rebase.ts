import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { identity, writeCommit, type Author } from './fixed-commit.ts';
import { askGit, entriesOf, filesBelow, git } from './git.ts';
import { isAncestor } from './project-repository.ts';
import { taskBranch } from './run-names.ts';
import { snapshotFiles } from './snapshot.ts';
import { bringTarget, returnToBranch } from './task-branch.ts';
import { enterWorkspace, isFolder, type Workspace } from './task-repository.ts';

export type Rebased =
  | { kind: 'up-to-date' | 'rebased'; head: string; base: string }
  | { kind: 'conflict'; files: string[] };

/** Puts the task's branch on top of its target; a conflict leaves everything as it was. */
export async function rebaseOnto(
  place: RunPlace,
  target: string,
  author?: Author,
): Promise<Rebased> {
  const workspace = await enterWorkspace(place);
  const { tree } = workspace;
  await endInterruptedRebase(workspace);
  await returnToBranch(workspace);
  const base = await bringTarget(workspace, target);
  const head = await git(tree, ['rev-parse', '--verify', 'HEAD']);
  if (await isAncestor(tree, base, head)) return { kind: 'up-to-date', head, base };

  const answer = await askGit(
    tree,
    [
      'rebase',
      '--quiet',
      '--autostash', // files that may not be committed must not stop it
      '--no-fork-point',
      '--empty=drop',
      '--committer-date-is-author-date', // the same ids on a retry
      base,
    ],
    { environment: identity(author) },
  );
  if (answer.exitCode === 0)
    return { kind: 'rebased', head: await git(tree, ['rev-parse', '--verify', 'HEAD']), base };
  const unmerged = entriesOf(await git(tree, ['diff', '--name-only', '--diff-filter=U', '-z']));
  await endInterruptedRebase(workspace);
  // Local changes that appear in the same moment are no conflict: the next attempt puts them aside.
  const conflicts =
    unmerged.length > 0 ? unmerged : filesBelow('untracked working tree files', answer.stderr);
  if (conflicts.length > 0) return { kind: 'conflict', files: [...new Set(conflicts)] };
  throw new WiggumError('GIT_FAILED', `git rebase: ${answer.stderr.trim()}`, {
    where: place.taskId,
  });
}

/** Ends a rebase that conflicts, or that a dead attempt left, and returns to the branch. */
async function endInterruptedRebase(workspace: Workspace): Promise<void> {
  const { tree, bare, adminDir, place } = workspace;
  const states = ['rebase-merge', 'rebase-apply'].map((name) => path.join(adminDir, name));
  const begun = await Promise.all(states.map(isFolder));
  if (!begun.includes(true)) return;
  const answer = await askGit(tree, ['rebase', '--abort'], { environment: identity() });
  if (answer.exitCode === 0) return;
  // Killed so early that git does not know its own rebase: what lies there is kept under a ref.
  const kept = await writeCommit(bare, {
    tree: await snapshotFiles(workspace),
    parents: [await git(tree, ['rev-parse', '--verify', 'HEAD'])],
    message: `${place.taskId}: state of an interrupted rebase\n`,
    timestamp: 0,
  });
  await git(bare, ['update-ref', `refs/wiggum/interrupted/${kept}`, kept]);
  await Promise.all(states.map((state) => rm(state, { recursive: true, force: true })));
  await git(tree, ['checkout', '--quiet', '--force', taskBranch(place), '--']);
}
