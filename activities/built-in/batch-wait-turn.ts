import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { readBatch } from './batch.ts';
import { turnOf } from './batch-order.ts';
import type { BuiltIn } from './built-in-order.ts';

const LOOK_EVERY_MS = 2_000;

/**
 * Waits until those before this task in its batch have merged. Changes nothing.
 *
 * The half hour counts from the beginning of the step, so retries do not prolong it; a host that was
 * down for longer finds it over. Whoever waits takes one of the host's slots: when members that wait
 * have taken all of them, the one whose turn it is cannot go on, and they lose theirs after that time.
 */
export const waitTurn: BuiltIn = async ({ place, epoch }, says) => {
  const { cancellationSignal } = Context.current();
  for (;;) {
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
        says({ batch: batch.id, waitsFor: turn.for });
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal: cancellationSignal }).catch(() => {});
    cancellationSignal.throwIfAborted();
  }
};
