import { readBatch } from './batch.ts';
import { turnOf } from './batch-order.ts';
import type { BuiltIn } from './built-in-order.ts';

const LOOK_AGAIN_SECONDS = 10;

/**
 * Looks whether those before this task in its batch have merged. Changes nothing, and waits nowhere: members
 * that wait must not take the host's slots from the one whose turn it is.
 */
export const waitTurn: BuiltIn = async ({ place, epoch }) => {
  const batch = await readBatch(place);
  if (batch.kind === 'none') return { result: 'PASS' };
  if (batch.kind === 'unreadable') return { result: 'FAIL', detail: batch.reason };
  const turn = turnOf(batch.coordination, place.taskId, Date.now() - epoch * 1_000);
  switch (turn.kind) {
    case 'turn':
      return { result: 'PASS' };
    case 'done':
      return { result: 'SKIP' };
    case 'lost':
      return { result: 'FAIL', detail: `batch ${batch.id}: ${turn.reason}` };
    case 'wait':
      return {
        waitsFor: `${turn.for}, which comes before it in batch ${batch.id}`,
        lookAgainSeconds: LOOK_AGAIN_SECONDS,
      };
  }
};
