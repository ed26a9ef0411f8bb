import { changeBatch } from './batch.ts';
import { withDone } from './batch-order.ts';
import { batchReport } from './batch-report.ts';
import type { BuiltInEnd, BuiltInOrder } from './built-in-order.ts';

/** Lets the next task of the batch go on, once: who is among the completed is not added again. */
export async function signalDone(order: BuiltInOrder): Promise<BuiltInEnd> {
  const { taskId } = order.place;
  const batch = await changeBatch(order.place, (known) => withDone(known, taskId));
  return { result: 'PASS', report: await batchReport(order, batch) };
}
