import { pullRequestFolder } from '../../../config/pull-request-file.ts';
import type { RunPlace } from '../../../workflows/domain/agent.ts';
import { WiggumError } from '../../../workflows/domain/errors.ts';
import { pullRequestTitle, type PullRequest } from '../../../workflows/domain/pull-request.ts';
import type { StepRecord } from '../../../workflows/domain/task.ts';
import { logActivity } from '../../agent/activity-log.ts';
import { openPublisher, publishBranch } from '../../git/publish.ts';
import { taskBranch } from '../../git/run-names.ts';
import { forkPoint } from '../../git/squash-merge.ts';
import { claimRecord, recordOfRun, saveRecord } from './records.ts';
import { writeDescription, writeDiff } from './texts.ts';

export interface OpenPullRequest {
  place: RunPlace;
  title: string;
  target: string;
  steps: readonly StepRecord[];
}

/** Publishes a task's branch and opens its pull request; a second call brings the first up to date. */
export async function openPullRequest(wish: OpenPullRequest): Promise<PullRequest> {
  const pullRequest = await open(wish);
  const { number, url, branch } = pullRequest;
  await logActivity(
    wish.place,
    'pr.created',
    { pr_number: number, pr_url: url, branch },
    `pr:created-${number}`,
  );
  return pullRequest;
}

async function open(wish: OpenPullRequest): Promise<PullRequest> {
  const { place, target } = wish;
  const known = await recordOfRun(place);
  if (known?.state === 'merged') return known;
  if (known?.state === 'closed')
    throw new WiggumError('PULL_REQUEST_MISSING', `pull request ${known.number} was closed`, {
      where: known.url,
    });
  const { head } = await publishBranch(place);
  const publisher = await openPublisher(place);
  const base = await forkPoint(place, { publisher, target, head });
  const compared = { publisher, base, head };
  const fill = async (folder: string) => {
    await writeDescription(folder, place, { ...compared, steps: wish.steps });
    await writeDiff(folder, compared);
  };
  const now = { title: pullRequestTitle(place.taskId, wish.title), head, base };
  if (!known)
    return claimRecord(
      place,
      {
        ...now,
        taskId: place.taskId,
        epoch: place.epoch,
        branch: taskBranch(place),
        target,
        state: 'open',
      },
      fill,
    );
  await fill(pullRequestFolder(place.ralphDir, known.number));
  const renewed = { ...known, ...now };
  await saveRecord(place.ralphDir, renewed);
  return renewed;
}
