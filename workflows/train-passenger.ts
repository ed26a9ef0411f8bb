import { CancellationScope, condition, workflowInfo } from '@temporalio/workflow';
import type { MergeOutcome } from './domain/merge.ts';
import type { PreparedTask } from './domain/task.ts';
import type { TaskInput } from './domain/task-input.ts';
import { joinTrain, leaveTrain } from './merge-train.ts';
import type { TaskStory } from './task-story.ts';

/** Longer than a merge takes with its rebase; a check suite may take longer, and asking again is harmless. */
const SILENCE_MS = 10 * 60_000;

/** A task in the merge train: joins, waits for its answer, gets off. */
export class TrainPassenger {
  /** Whether the train owes us an answer, and for which branch. */
  private target: string | undefined;
  private settled: MergeOutcome | undefined;

  constructor(
    private readonly input: TaskInput,
    private readonly story: TaskStory,
  ) {}

  hear(outcome: MergeOutcome): void {
    this.settled = outcome;
  }

  /** Rides to the end; what the train says in between only changes what people see. */
  async ride(prepared: PreparedTask, pullRequest: number): Promise<MergeOutcome> {
    const join = () => this.join(prepared, pullRequest);
    this.settled = undefined;
    this.target = prepared.target;
    // Once asked, the train answers: a cancellation waits for that answer instead of losing it.
    await CancellationScope.nonCancellable(join);
    return this.answer(join);
  }

  /** Gives up the place in the train and says what became of it; undefined when there was none. */
  async getOff(): Promise<MergeOutcome | undefined> {
    const { target } = this;
    if (target === undefined) return undefined;
    const leave = async () => {
      const isHeard = await leaveTrain(this.input.project, target, workflowInfo().workflowId);
      if (!isHeard) this.settled ??= { kind: 'failed', reason: 'the merge train is gone' };
    };
    await leave();
    return this.answer(leave);
  }

  private async join({ place, target, checks }: PreparedTask, pullRequest: number): Promise<void> {
    const { project, hostId, title } = this.input;
    const { workflowId: taskWorkflowId } = workflowInfo();
    const request = { taskWorkflowId, place, pullRequest, title, target, checks };
    await joinTrain({ project, hostId, request });
  }

  private async answer(onSilence: () => Promise<unknown>): Promise<MergeOutcome> {
    const { status } = this.story;
    for (;;) {
      // A train that was terminated answers nobody: after a long silence it is asked again.
      if (!(await condition(() => this.settled !== undefined, SILENCE_MS))) await onSilence();
      const outcome = this.settled;
      if (outcome && outcome.kind !== 'waits') {
        this.target = undefined;
        delete status.mergeWaits;
        status.needsHuman = false;
        return outcome;
      }
      this.settled = undefined;
      if (!outcome) continue;
      const { reason } = outcome;
      status.needsHuman = true;
      status.mergeWaits = { reason, times: (status.mergeWaits?.times ?? 0) + 1 };
      this.story.say(`the merge waits: ${reason}`);
    }
  }
}
