import {
  getExternalWorkflowHandle,
  isCancellation,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { hostActivities } from './activities.ts';
import { boardWorkflowId, taskMovedSignal } from './contract.ts';
import { transition, type LifecycleEvent } from './domain/lifecycle.ts';
import type { TaskStatus } from './domain/task.ts';
import type { TaskInput } from './domain/task-input.ts';
import { NO_USAGE, sumUsage, type Usage } from './domain/usage.ts';
import { detailsText } from './task-details.ts';

/** Where a task stands, and everybody who is told: queries, the Temporal UI, the board. */
export class TaskStory {
  readonly status: TaskStatus;
  private indexed = '';
  /** What the step that runs has used, and how many had ended when it said so. */
  private running = { usage: NO_USAGE, steps: 0 };

  constructor(private readonly input: TaskInput) {
    this.status = {
      task: input.taskId,
      title: input.title,
      epoch: input.epoch,
      state: 'none',
      why: 'starts',
      needsHuman: false,
      startedAt: new Date(input.epoch * 1000).toISOString(),
      ...NO_USAGE,
      steps: [],
    };
  }

  /** Says what happens now, or what is waited for. */
  say(why: string): void {
    this.status.why = why;
    this.count();
    this.show();
  }

  /** Moves to a step of the pipeline, or with `undefined` out of it. */
  enter(
    step: string | undefined,
    at: Pick<TaskStatus, 'visit' | 'iteration' | 'sessionId'> & { usage?: Usage } = {},
  ): void {
    const { visit, iteration, sessionId = this.status.sessionId, usage = NO_USAGE } = at;
    Object.assign(this.status, { step, visit, iteration, sessionId });
    this.running = { usage, steps: this.status.steps.length };
    this.count();
  }

  /** A step that has ended speaks for itself: what it used while it ran is in its record. */
  private count(): void {
    const { steps } = this.status;
    const { usage, steps: before } = this.running;
    Object.assign(this.status, sumUsage(steps.length === before ? [...steps, usage] : steps));
  }

  /** Takes one line of the lifecycle, and lets the board know what it means for the marker. */
  async live(
    event: LifecycleEvent,
    {
      tell = true,
      ended = false,
      reason,
    }: { tell?: boolean; ended?: boolean; reason?: string } = {},
  ): Promise<void> {
    const { state, marker } = transition(this.status.state, event);
    this.status.state = state;
    this.show();
    if (!tell) return;
    const { project, taskId, epoch, ralphDir, hostId } = this.input;
    try {
      await getExternalWorkflowHandle(boardWorkflowId(project)).signal(taskMovedSignal, {
        task: taskId,
        epoch,
        ...(marker && { marker }),
        needsHuman: this.status.needsHuman,
        ended,
        ...(reason && { reason }),
      });
    } catch (error) {
      if (isCancellation(error)) throw error;
      // Somebody terminated the board's workflow; the file must still tell the truth.
      if (marker)
        await hostActivities(hostId, `${taskId} → [${marker}]`).moveMarkers({
          ralphDir,
          moves: [{ id: taskId, marker }],
        });
    }
  }

  private show(): void {
    const { state, step, needsHuman } = this.status;
    setCurrentDetails(detailsText(this.status));
    const now = JSON.stringify([state, step, needsHuman]);
    if (now === this.indexed) return;
    this.indexed = now;
    upsertSearchAttributes({
      WiggumState: [state],
      WiggumStep: [step ?? '-'],
      WiggumNeedsHuman: [needsHuman],
    });
  }
}
