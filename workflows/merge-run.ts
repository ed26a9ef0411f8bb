import {
  allHandlersFinished,
  CancellationScope,
  condition,
  ContinueAsNew,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import { checkActivities, hostActivities } from './activities.ts';
import { mergeSettledSignal } from './contract.ts';
import type { MergeOutcome, MergeRequest } from './domain/merge.ts';
import { reasonOf } from './failure-reason.ts';

export interface MergeInput {
  hostId: string;
  target: string;
  /** The first is the one whose turn it is. */
  queue: MergeRequest[];
  /** What held the first one up when the train continued as new. */
  heldUpBy?: string;
}

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
/** The target may move under a rebase; after this many rounds a person should look. */
const MAX_ROUNDS = 5;
const WITHDRAWN: MergeOutcome = { kind: 'failed', reason: 'withdrawn before it was merged' };

/** Drives one merge train. Whoever is on it gets an answer, however the train ends. */
export class MergeRun {
  private readonly queue: MergeRequest[];
  /** The one whose turn it is has given up its place. */
  private headLeaves = false;
  private heldUpBy: string | undefined;
  private nudges = 0;

  constructor(private readonly input: MergeInput) {
    this.queue = [...input.queue];
    this.heldUpBy = input.heldUpBy;
  }

  async toTheEnd(): Promise<void> {
    try {
      do {
        for (let request = this.queue[0]; request; request = this.queue[0]) {
          this.show();
          const outcome = await this.takeTurn(request);
          this.queue.shift();
          this.headLeaves = false;
          this.heldUpBy = undefined;
          await tell(request, outcome);
          await this.continueIfLong();
        }
        await condition(allHandlersFinished);
        // Somebody may have come while the last answers were on their way.
      } while (this.queue.length > 0);
    } catch (error) {
      if (!isCancellation(error)) throw error;
      const outcome: MergeOutcome = { kind: 'failed', reason: 'the merge train was cancelled' };
      for (const request of this.queue) await tell(request, outcome);
      throw error;
    }
  }

  async board(request: MergeRequest): Promise<void> {
    if (this.queue.some(({ taskWorkflowId }) => taskWorkflowId === request.taskWorkflowId)) return;
    this.queue.push(request);
    if (this.heldUpBy) await tell(request, this.behind(this.heldUpBy));
  }

  async leave(taskWorkflowId: string): Promise<void> {
    const at = this.queue.findIndex((request) => request.taskWorkflowId === taskWorkflowId);
    if (at === 0) this.headLeaves = true;
    if (at <= 0) return;
    const [request] = this.queue.splice(at, 1);
    if (request) await tell(request, WITHDRAWN);
  }

  nudge(): void {
    this.nudges += 1;
  }

  private async takeTurn(request: MergeRequest): Promise<MergeOutcome> {
    let pauseMs = FIRST_PAUSE_MS;
    try {
      for (let round = 0; round < MAX_ROUNDS;) {
        if (this.headLeaves) return WITHDRAWN;
        const heard = this.nudges;
        const attempt = await this.host(request, 'merge').mergePullRequest({
          place: request.place,
          number: request.pullRequest,
          timestamp: Math.floor(Date.now() / 1000),
        });
        switch (attempt.kind) {
          case 'merged':
            return attempt;
          case 'blocked':
            await this.holdUp(request, attempt.reason);
            await condition(() => this.headLeaves || this.nudges !== heard, pauseMs);
            // Somebody who asks hears the answer again, also when it is the same.
            if (this.nudges !== heard) this.heldUpBy = undefined;
            pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
            await this.continueIfLong();
            break;
          case 'behind': {
            const fault = await this.catchUp(request);
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
      if (isCancellation(error) || error instanceof ContinueAsNew) throw error;
      return { kind: 'failed', reason: reasonOf(error) };
    }
  }

  /** A person must tidy the checkout; the train waits and says so, however long it takes. */
  private async holdUp(request: MergeRequest, reason: string): Promise<void> {
    if (this.heldUpBy === reason) return;
    this.heldUpBy = reason;
    await tell(request, { kind: 'waits', reason });
    for (const other of this.queue.slice(1)) await tell(other, this.behind(reason));
  }

  private behind(reason: string): MergeOutcome {
    return { kind: 'waits', reason: `${this.queue[0]?.place.taskId} is before it: ${reason}` };
  }

  /** Rebases the branch onto its target and proves it again. */
  private async catchUp(request: MergeRequest): Promise<MergeOutcome | undefined> {
    const { place, checks, target } = request;
    const rebased = await this.host(request, 'rebase').rebaseBranch({
      place,
      number: request.pullRequest,
    });
    if (rebased.kind === 'conflict') return rebased;
    if (checks.length === 0) return undefined;
    const checked = await checkActivities(
      this.input.hostId,
      `${place.taskId} · checks after rebase`,
    ).runChecks({ place, commands: checks, purpose: 'after-rebase' });
    if (checked.ok) return undefined;
    return {
      kind: 'failed',
      reason: `\`${checked.failed}\` fails after the rebase onto ${target} (exit ${checked.exitCode}); see ${checked.log}`,
    };
  }

  private async continueIfLong(): Promise<void> {
    if (!workflowInfo().continueAsNewSuggested || this.headLeaves) return;
    await condition(allHandlersFinished);
    const { queue, heldUpBy } = this;
    if (queue.length > 0)
      await continueAsNew<(input: MergeInput) => Promise<void>>({
        ...this.input,
        queue,
        ...(heldUpBy !== undefined && { heldUpBy }),
      });
  }

  private host({ place }: MergeRequest, what: string) {
    return hostActivities(this.input.hostId, `${place.taskId} · ${what}`);
  }

  private show(): void {
    const rows = this.queue.map(
      ({ place, title }, index) => `| ${index + 1} | ${place.taskId} | ${title} |`,
    );
    setCurrentDetails(
      [
        `### Merge train of \`${this.input.target}\``,
        '',
        '| | task | title |',
        '|---|---|---|',
        ...rows,
      ].join('\n'),
    );
  }
}

/** Also when the train itself is being cancelled: somebody waits for this. */
function tell(request: MergeRequest, outcome: MergeOutcome): Promise<void> {
  return CancellationScope.nonCancellable(async () => {
    try {
      await getExternalWorkflowHandle(request.taskWorkflowId).signal(mergeSettledSignal, outcome);
    } catch {
      // The task's workflow is gone (terminated by a person): nobody waits for the answer.
    }
  });
}
