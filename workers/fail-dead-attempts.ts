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
export async function failDeadAttempts(
  { client, project, log }: Report,
  servesSince: string,
): Promise<void> {
  const [open, dead] = await Promise.all([
    openRuns(client, project),
    deadAttempts(project.ralphDir, project.hostId, { servesSince }),
  ]);
  await Promise.all(
    dead
      .filter(({ lease }) => open.some(({ runId }) => runId === lease.runId))
      .map(async ({ lease }) => {
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
  const open = await openRuns(client, project);
  await Promise.all(
    open.map(async (run) => {
      for (const { activityId, activityType } of await startedHere(client, project, run)) {
        await fail(client, { ...run, activityId: activityId ?? '' });
        log(
          `${nameOf(run.workflowId)}: ${activityType?.name} died with its host; it is done again`,
        );
      }
    }),
  );
}

interface Run {
  workflowId: string;
  runId: string;
}

function openRuns(client: Client, { id }: Project): Promise<Run[]> {
  return client.withDeadline(Date.now() + ANSWER_MS, async () => {
    const query = `WiggumProject = "${id}" AND ExecutionStatus = "Running"`;
    const runs: Run[] = [];
    for await (const { workflowId, runId } of client.workflow.list({ query }))
      runs.push({ workflowId, runId });
    return runs;
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
  run: Run,
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
  { workflowId, runId }: Run,
): Promise<PendingActivity[]> {
  try {
    const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
    return (raw.pendingActivities ?? []).filter(({ state }) => Number(state) === STARTED);
  } catch (cause) {
    if (cause instanceof WorkflowNotFoundError) return [];
    throw cause;
  }
}

function fail(client: Client, activity: Run & { activityId: string }): Promise<void> {
  return client.activity.fail(
    activity,
    ApplicationFailure.retryable('the process that worked on this has died', 'HOST_DIED'),
  );
}

function nameOf(workflowId: string): string {
  return workflowId.split('/').at(-1) ?? workflowId;
}
