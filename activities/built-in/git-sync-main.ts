import { checkpointOf, takeCheckpoint } from '../git/checkpoint.ts';
import { commitOrReason } from '../git/commit-or-reason.ts';
import { restoreCheckpoint } from '../git/restore-checkpoint.ts';
import { bringTarget } from '../git/task-branch.ts';
import { enterWorkspace } from '../git/task-repository.ts';
import type { BuiltInEnd, BuiltInOrder } from './built-in-order.ts';
import { conflictReport, lockFileReport } from './conflict-report.ts';
import { mergeTarget } from './merge-target.ts';
import { writeReport } from './write-report.ts';

/**
 * Brings the target branch into the task's. A conflict is left in the workspace, with its markers, for
 * whoever resolves it; the next commit concludes the merge. Files of package managers take the
 * target's side without that.
 */
export async function syncMain(order: BuiltInOrder): Promise<BuiltInEnd> {
  const { place, runId, step, epoch, target } = order;
  const reason = await makeReady(order);
  if (reason !== undefined) return { result: 'FAIL', detail: reason };
  const merged = await mergeTarget(place, target);
  switch (merged.kind) {
    case 'up-to-date':
      return { result: 'PASS' };
    case 'in-the-way':
      return {
        result: 'FAIL',
        detail: `${target} has files that lie uncommitted in the workspace: ${some(merged.files)}`,
      };
    case 'conflict':
      return {
        result: 'FAIL',
        detail: `conflict in ${some(merged.files)}`,
        report: await writeReport(order, await conflictReport(place, target, merged)),
      };
    case 'merged': {
      const { refusal } = await commitOrReason(place, {
        message: `${place.taskId}: ${step} - merge of ${target}`,
        key: runId,
        timestamp: epoch,
      });
      if (refusal !== undefined) return { result: 'FAIL', detail: refusal };
      if (merged.lockFiles.length === 0) return { result: 'PASS' };
      const lines = lockFileReport(place, target, merged.lockFiles);
      return { result: 'PASS', report: await writeReport(order, lines) };
    }
  }
}

/**
 * Every attempt merges the same commits in the same workspace. Nobody but a dead attempt can have
 * been in it since the checkpoint, so what it left of its merge is undone and made anew.
 */
async function makeReady({ place, runId, epoch, target }: BuiltInOrder) {
  const key = `${runId}/sync`;
  if (await checkpointOf(place, key)) return restoreCheckpoint(place, key).then(() => undefined);
  const { refusal } = await commitOrReason(place, {
    message: `${place.taskId}: pre-merge`,
    key: `${runId}/pre-merge`,
    timestamp: epoch,
  });
  if (refusal !== undefined) return refusal;
  await bringTarget(await enterWorkspace(place), target);
  await takeCheckpoint(place, key);
  return undefined;
}

/** As many names as a line can hold. */
function some(files: readonly string[]): string {
  const rest = files.length - MOST_NAMES;
  const shown = files.slice(0, MOST_NAMES).join(', ');
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

const MOST_NAMES = 10;
