import path from 'node:path';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import { failedItems, openItems } from '../../workflows/domain/prd.ts';
import { pullRequestTitle } from '../../workflows/domain/pull-request.ts';
import { logActivity } from '../agent/activity-log.ts';
import { readIfThere } from '../durable-file.ts';
import { commitStep } from '../git/commit.ts';
import { askGit, git } from '../git/git.ts';
import { baseOf, returnToBranch } from '../git/task-branch.ts';
import { enterWorkspace } from '../git/task-repository.ts';

export interface FinishedWork {
  openItems: string[];
  failedItems: string[];
  /** Whether the branch has other content than the commit it began at. */
  changed: boolean;
}

/** Commits what the steps left over and tells how far the work has come. */
export async function finishWork({
  place,
  title,
}: {
  place: RunPlace;
  title: string;
}): Promise<FinishedWork> {
  const workspace = await enterWorkspace(place);
  await returnToBranch(workspace);
  const { tree } = workspace;
  const [head = '', time] = (
    await git(tree, ['log', '-1', '--no-show-signature', '--format=%H %ct'])
  ).split(' ');
  // By the commit it stands on: a run that is finished twice has two such commits.
  const key = `finalization-${head}`;
  const { refusedFiles } = await commitStep(place, {
    message: `${place.taskId}: finalization\n\n${pullRequestTitle(place.taskId, title)}`,
    key,
    timestamp: Math.max(Number(time), place.epoch),
  });
  if (refusedFiles.length > 0)
    await logActivity(place, 'commit.files_left_out', { files: refusedFiles.join(', ') }, key);
  const base = await baseOf(workspace);
  const compared = await askGit(tree, ['diff', '--quiet', '--no-ext-diff', base, 'HEAD']);
  const prd = await readIfThere(path.join(place.workerDir, 'prd.md'));
  return {
    openItems: prd === undefined ? ['prd.md is gone'] : openItems(prd),
    failedItems: failedItems(prd ?? ''),
    changed: compared.exitCode !== 0,
  };
}
