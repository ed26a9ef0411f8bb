import { join } from 'node:path';
import { publishBranch } from '../git/publish.ts';
import { isThere } from '../git/task-repository.ts';
import type { BuiltInEnd, BuiltInOrder } from './built-in-order.ts';
import { commitOrReason } from './commit-or-reason.ts';

/**
 * Commits what lies in the workspace, a resolved merge too, and publishes the branch. The commit is
 * known by the run's id in its trailer, the publication by the branch's commit.
 */
export async function commitPush(order: BuiltInOrder): Promise<BuiltInEnd> {
  const { place, runId, step, epoch } = order;
  const isPlanned = await isThere(join(place.workerDir, 'resolution-plan.md'));
  const what = isPlanned ? 'conflict-resolution' : 'commit-push';
  const reason = await commitOrReason(place, {
    message: `${place.taskId}: ${step} - ${what}`,
    key: runId,
    timestamp: epoch,
  });
  if (reason !== undefined) return { result: 'FAIL', detail: reason };
  await publishBranch(place);
  return { result: 'PASS' };
}
