import {
  allHandlersFinished,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { checkActivities, hostActivities } from './activities.ts';
import {
  mergeSettledSignal,
  nudgeMergeSignal,
  requestMergeSignal,
  withdrawMergeSignal,
} from './contract.ts';
import type { MergeOutcome, MergeRequest } from './domain/merge.ts';
import { reasonOf } from './failure-reason.ts';

export interface MergeInput {
  hostId: string;
  target: string;
  queue: MergeRequest[];
  /** Workflow ids of tasks that gave up their place. */
  withdrawn?: string[];
}

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
/** The target may move under a rebase; after this many rounds a person should look. */
const MAX_ROUNDS = 5;

/** The merge train of one target branch: one at a time, in order of request. */
export async function mergeWorkflow(input: MergeInput): Promise<void> {
  const queue = [...input.queue];
  const withdrawn = new Set(input.withdrawn);
  setHandler(requestMergeSignal, (request) => {
    withdrawn.delete(request.taskWorkflowId);
    if (!queue.some((waiting) => waiting.taskWorkflowId === request.taskWorkflowId))
      queue.push(request);
  });
  setHandler(withdrawMergeSignal, ({ taskWorkflowId }) => {
    withdrawn.add(taskWorkflowId);
  });
  let nudges = 0;
  setHandler(nudgeMergeSignal, () => {
    nudges += 1;
  });

  for (let request = queue[0]; request; request = queue[0]) {
    setCurrentDetails(trainText(input.target, queue));
    const outcome = await takeTurn(input.hostId, request, {
      isWithdrawn: () => withdrawn.has(request.taskWorkflowId),
      nudges: () => nudges,
    });
    queue.shift();
    withdrawn.delete(request.taskWorkflowId);
    await tell(request, outcome);
    if (workflowInfo().continueAsNewSuggested) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof mergeWorkflow>({ ...input, queue, withdrawn: [...withdrawn] });
    }
  }
}

async function takeTurn(
  hostId: string,
  request: MergeRequest,
  { isWithdrawn, nudges }: { isWithdrawn: () => boolean; nudges: () => number },
): Promise<MergeOutcome> {
  try {
    let pauseMs = FIRST_PAUSE_MS;
    for (let round = 0; round < MAX_ROUNDS;) {
      const heard = nudges();
      if (isWithdrawn()) return { kind: 'failed', reason: 'withdrawn before it was merged' };
      const attempt = await host(hostId, request, 'merge').mergePullRequest({
        place: request.place,
        number: request.pullRequest,
        timestamp: Math.floor(Date.now() / 1000),
      });
      switch (attempt.kind) {
        case 'merged':
        case 'conflict':
          return attempt;
        case 'blocked':
          // A person must tidy the checkout; the train waits and says so, however long it takes.
          await tell(request, { kind: 'waits', reason: attempt.reason });
          await condition(() => isWithdrawn() || nudges() !== heard, pauseMs);
          pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
          break;
        case 'behind': {
          const fault = await catchUp(hostId, request);
          if (fault) return fault;
          round += 1;
        }
      }
    }
    return {
      kind: 'failed',
      reason: `${request.target} moved ${MAX_ROUNDS} times during the merge`,
    };
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error) };
  }
}

/** Rebases the branch onto its target and proves it again. */
async function catchUp(hostId: string, request: MergeRequest): Promise<MergeOutcome | undefined> {
  const rebased = await host(hostId, request, 'rebase').rebaseBranch({
    place: request.place,
    number: request.pullRequest,
  });
  if (rebased.kind === 'conflict') return rebased;
  if (request.checks.length === 0) return undefined;
  const checked = await checkActivities(
    hostId,
    `${request.place.taskId} · checks after rebase`,
  ).runChecks({
    place: request.place,
    commands: request.checks,
    purpose: 'after-rebase',
  });
  return checked.ok
    ? undefined
    : {
        kind: 'failed',
        reason: `\`${checked.failed}\` fails after the rebase onto ${request.target} (exit ${checked.exitCode}); see ${checked.log}`,
      };
}

function host(hostId: string, { place }: MergeRequest, what: string) {
  return hostActivities(hostId, `${place.taskId} · ${what}`);
}

async function tell(request: MergeRequest, outcome: MergeOutcome): Promise<void> {
  try {
    await getExternalWorkflowHandle(request.taskWorkflowId).signal(mergeSettledSignal, outcome);
  } catch {
    // The task's workflow is gone (terminated by a person): nobody waits for the answer.
  }
}

function trainText(target: string, queue: readonly MergeRequest[]): string {
  const rows = queue.map(
    ({ place, title }, index) => `| ${index + 1} | ${place.taskId} | ${title} |`,
  );
  return [
    `### Merge train of \`${target}\``,
    '',
    '| | task | title |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
}
