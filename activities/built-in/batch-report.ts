import type { Batch } from './batch.ts';
import type { BuiltInOrder } from './built-in-order.ts';
import { writeReport } from './write-report.ts';

/** Says how the batch of a task stands. */
export function batchReport(order: BuiltInOrder, batch: Batch): Promise<string> {
  return writeReport(order, [`# Batch: ${order.place.taskId}`, '', ...linesOf(batch)]);
}

function linesOf(batch: Batch): string[] {
  switch (batch.kind) {
    case 'none':
      return ['no batch'];
    case 'unreadable':
      return [batch.reason];
    case 'batch': {
      const { status, order, completed, failed } = batch.coordination;
      return [
        `- ${batch.id}: ${status}`,
        `- order: ${order.join(', ')}`,
        `- completed: ${completed.join(', ') || 'none'}`,
        ...(failed ? [`- failed: ${failed}`] : []),
      ];
    }
  }
}
