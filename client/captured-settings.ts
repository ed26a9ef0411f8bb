import { type Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { z } from 'zod';
import { taskWorkflowId } from '../workflows/contract.ts';

const ANSWER_MS = 5_000;

/** What a task run was started with, on whatever host it works (checklist 98). */
export type CapturedSettings = z.infer<typeof settingsSchema>;

const settingsSchema = z.object({
  backend: z.string(),
  pipeline: z.string().optional(),
  script: z.string().optional(),
  autoMerge: z.boolean(),
  environment: z.record(z.string(), z.string()),
});
const inputSchema = z.object({ epoch: z.number(), settings: settingsSchema });

/** Reads how a task run was started from the beginning of its history, which needs no host. */
export async function capturedSettings(
  client: Client,
  project: string,
  { task, epoch }: { task: string; epoch: number },
): Promise<CapturedSettings | undefined> {
  try {
    const { history } = await client.withDeadline(Date.now() + ANSWER_MS, () =>
      client.workflowService.getWorkflowExecutionHistory({
        namespace: client.options.namespace,
        execution: { workflowId: taskWorkflowId(project, task) },
        maximumPageSize: 1,
      }),
    );
    const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
    const [payload] = started?.input?.payloads ?? [];
    if (!payload) return undefined;
    const input = inputSchema.parse(defaultPayloadConverter.fromPayload(payload));
    return input.epoch === epoch ? input.settings : undefined;
  } catch {
    // A run that the server has forgotten, or a server that does not answer: nobody knows.
    return undefined;
  }
}
