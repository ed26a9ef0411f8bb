import { join } from 'node:path';
import { commitOrReason } from '../git/commit-or-reason.ts';
import { publishBranch } from '../git/publish.ts';
import { isThere } from '../git/task-repository.ts';
import type { BuiltInEnd, BuiltInOrder } from './built-in-order.ts';

/**
 * Commits what lies in the workspace, a resolved merge too, and publishes the branch. The commit is
 * known by the run's id in its trailer, the publication by the branch's commit.
 */
export async function commitPush(order: BuiltInOrder): Promise<BuiltInEnd> {
  const { place, runId, step, epoch } = order;
  const isPlanned = await isThere(join(place.workerDir, 'resolution-plan.md'));
  const what = isPlanned ? 'conflict-resolution' : 'commit-push';
  const { refusal } = await commitOrReason(place, {
    message: `${place.taskId}: ${step} - ${what}`,
    key: runId,
    timestamp: epoch,
  });
  if (refusal !== undefined) return { result: 'FAIL', detail: refusal };
  await publishBranch(place);
  return { result: 'PASS' };
}
