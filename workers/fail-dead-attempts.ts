import { ApplicationFailure, WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { AgentActivities, HostActivities } from '../activities/index.ts';
import { deadAttempts } from '../activities/agent/dead-attempts.ts';
import type { Lease } from '../activities/agent/attempt-records.ts';
import type { Project } from '../config/project.ts';
import { hostQueue } from '../workflows/contract.ts';
import type { Log } from './server/log.ts';

interface Report {
  client: Client;
  project: Project;
  log: Log;
}

const STARTED = 2;
const ANSWER_MS = 10_000;
/** Work under a keeper, which may outlive the host for seconds: its lease tells when it is dead. */
const LEASED: (keyof HostActivities | keyof AgentActivities)[] = ['runAgent', 'runChecks'];

/**
 * Tells the server about agents and checks that died with an earlier process of this host, so that
 * the work goes on at once instead of after a heartbeat time-out.
 */
export async function failDeadAttempts({ client, project, log }: Report): Promise<void> {
  const dead = await deadAttempts(project.ralphDir, project.hostId);
  await Promise.all(
    dead.map(async ({ lease }) => {
      const { workflowId, runId, activityId } = lease;
      if (!(await isWaitedFor(client, lease))) return;
      await fail(client, { workflowId, runId, activityId });
      log(`${nameOf(workflowId)}: its agent died with its host; it is resumed`);
    }),
  );
}

/**
 * The same for short work on files and git, which has no lease and no heartbeat. Whoever calls this
 * holds the host's lock and serves nobody yet: what has started has started in a dead process.
 */
export async function failDeadActivities({ client, project, log }: Report): Promise<void> {
  await client.withDeadline(Date.now() + ANSWER_MS, async () => {
    const query = `WiggumProject = "${project.id}" AND ExecutionStatus = "Running"`;
    for await (const { workflowId, runId } of client.workflow.list({ query }))
      for (const { activityId, activityType } of await startedHere(client, project, {
        workflowId,
        runId,
      })) {
        await fail(client, { workflowId, runId, activityId: activityId ?? '' });
        log(`${nameOf(workflowId)}: ${activityType?.name} died with its host; it is done again`);
      }
  });
}

type PendingActivity = NonNullable<
  Awaited<
    ReturnType<ReturnType<Client['workflow']['getHandle']>['describe']>
  >['raw']['pendingActivities']
>[number];

async function startedHere(
  client: Client,
  { hostId }: Project,
  run: { workflowId: string; runId: string },
): Promise<PendingActivity[]> {
  return (await startedActivities(client, run)).filter(
    ({ activityType, activityOptions }) =>
      activityOptions?.taskQueue?.name === hostQueue(hostId) &&
      !LEASED.some((name) => name === activityType?.name),
  );
}

/** Whether the server still takes this very attempt for the running one. */
async function isWaitedFor(client: Client, lease: Lease): Promise<boolean> {
  return (await startedActivities(client, lease)).some(
    ({ activityId, attempt }) =>
      activityId === lease.activityId && attempt === lease.temporalAttempt,
  );
}

async function startedActivities(
  client: Client,
  { workflowId, runId }: { workflowId: string; runId: string },
): Promise<PendingActivity[]> {
  try {
    const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
    return (raw.pendingActivities ?? []).filter(({ state }) => Number(state) === STARTED);
  } catch (cause) {
    if (cause instanceof WorkflowNotFoundError) return [];
    throw cause;
  }
}

function fail(
  client: Client,
  activity: { workflowId: string; runId: string; activityId: string },
): Promise<void> {
  return client.activity.fail(
    activity,
    ApplicationFailure.retryable('the process that worked on this has died', 'HOST_DIED'),
  );
}

function nameOf(workflowId: string): string {
  return workflowId.split('/').at(-1) ?? workflowId;
}
