import { ApplicationFailure, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { deadAttempts } from '../activities/agent/dead-attempts.ts';
import type { Lease } from '../activities/agent/attempt-records.ts';
import type { Project } from '../config/project.ts';
import type { Log } from './server/log.ts';

const STARTED = 2;

/**
 * Tells the server about attempts that died with an earlier process of this host, so that the work
 * goes on at once instead of after a heartbeat time-out.
 */
export async function failDeadAttempts({
  client,
  project,
  log,
}: {
  client: Client;
  project: Project;
  log: Log;
}): Promise<void> {
  const dead = await deadAttempts(project.ralphDir, project.hostId);
  await Promise.all(
    dead.map(async ({ lease }) => {
      if (!(await isWaitedFor(client, lease))) return;
      const { workflowId, runId, activityId } = lease;
      await client.activity.fail(
        { workflowId, runId, activityId },
        ApplicationFailure.retryable('the process that ran this agent has died', 'HOST_DIED'),
      );
      log(`${workflowId.split('/').at(-1)}: its agent died with its host; it is resumed`);
    }),
  );
}

/** Whether the server still takes this very attempt for the running one. */
async function isWaitedFor(client: Client, lease: Lease): Promise<boolean> {
  try {
    const { raw } = await client.workflow.getHandle(lease.workflowId, lease.runId).describe();
    return (raw.pendingActivities ?? []).some(
      ({ activityId, attempt, state }) =>
        activityId === lease.activityId &&
        attempt === lease.temporalAttempt &&
        Number(state) === STARTED,
    );
  } catch (cause) {
    if (cause instanceof WorkflowNotFoundError) return false;
    throw cause;
  }
}
