import { changeBatch } from './batch.ts';
import { withFailed } from './batch-order.ts';
import { batchReport } from './batch-report.ts';
import type { BuiltInEnd, BuiltInOrder } from './built-in-order.ts';

/** Tells the batch that this task gave up, once: a batch that has failed stays as it is. */
export async function signalFailed(order: BuiltInOrder): Promise<BuiltInEnd> {
  const { taskId } = order.place;
  const batch = await changeBatch(order.place, (known) => withFailed(known, taskId));
  return { result: 'PASS', report: await batchReport(order, batch) };
}
