import type { RunPlace } from '../../workflows/domain/agent.ts';
import { TASK_ID } from '../../workflows/domain/board.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';

/** Names a task run in refs, folders and trailers. Checked here, because git and paths get it. */
export function runKey({ taskId, epoch }: Pick<RunPlace, 'taskId' | 'epoch'>): string {
  if (!TASK_ID.test(taskId) || !Number.isSafeInteger(epoch) || epoch < 0)
    throw new WiggumError('TASK_UNKNOWN', `"${taskId}-${epoch}" is not the name of a task run`);
  return `${taskId}-${epoch}`;
}

/** The branch a task run works on. */
export function taskBranch(place: RunPlace): string {
  return `task/${runKey(place)}`;
}

/** Keeps the base commit alive in the user's repository while ours borrow its objects. */
export function baseRef(place: RunPlace): string {
  return `refs/wiggum/base/${runKey(place)}`;
}

/** Where work goes that would otherwise be deleted with its workspace. */
export function rescueRef(place: RunPlace): string {
  return `refs/wiggum/rescue/${runKey(place)}`;
}

/** Holds a merge commit in the user's repository until its target branch does. */
export function mergeRef(place: RunPlace): string {
  return `refs/wiggum/merge/${runKey(place)}`;
}
