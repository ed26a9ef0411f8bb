import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { taskWorkflowId } from '../workflows/contract.ts';
import type { TaskView } from './board-view.ts';

const ANSWER_MS = 10_000;

/** Whether a task's workflow is open; the server tells it without a host. */
export async function isTaskOpen(client: Client, project: string, task: string): Promise<boolean> {
  try {
    const { status } = await client.withDeadline(Date.now() + ANSWER_MS, () =>
      client.workflow.getHandle(taskWorkflowId(project, task)).describe(),
    );
    return status.name === 'RUNNING';
  } catch (cause) {
    if (cause instanceof WorkflowNotFoundError) return false;
    throw cause;
  }
}

/** Whether a task has ended and its marker tells so: between the two the board is being written. */
export function hasEnded(task: TaskView): boolean {
  return !task.open && task.marker !== '=' && task.marker !== 'P';
}

/** Whether a task that was told to work is through or waits for a person. */
export function isThrough(task: TaskView, before: TaskView | undefined): boolean {
  if (hasEnded(task)) return true;
  // A task that is about to fail needs a person too, but its marker is still to come.
  if (!task.needsHuman || task.marker !== 'P') return false;
  // What it says just after the order may still be from before it.
  return !before?.needsHuman || standingOf(task) !== standingOf(before);
}

/** Why a merge that was asked for does not go on; undefined while it does. */
export function mergeObstacle(task: TaskView): string | undefined {
  return task.lifecycle === 'merging' ? task.mergeWaits?.reason : undefined;
}

/** Whether a merge is merged, failed, or held up; what held it up before the order does not count. */
export function isMergeSettled(task: TaskView, before: TaskView | undefined): boolean {
  if (hasEnded(task)) return true;
  if (mergeObstacle(task) === undefined) return false;
  return task.mergeWaits?.times !== before?.mergeWaits?.times;
}

function standingOf({ steps, pullRequest, startedAt }: TaskView): string {
  return JSON.stringify([steps?.length, pullRequest, startedAt]);
}
