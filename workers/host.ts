import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { createAgentActivities, createHostActivities } from '../activities/index.ts';
import { packageRoot } from '../config/package-root.ts';
import type { Project } from '../config/project.ts';
import { agentQueue, hostQueue, WORKFLOW_QUEUE } from '../workflows/contract.ts';
import { failDeadActivities, failDeadAttempts } from './fail-dead-attempts.ts';
import { installRuntime } from './runtime.ts';
import type { ResolvedConnection } from './server/connection.ts';
import type { Log } from './server/log.ts';
import { prepareNamespace } from './server/prepare-namespace.ts';

export interface HostOrder {
  connection: ResolvedConnection;
  project: Project;
  environment: Readonly<NodeJS.ProcessEnv>;
  log: Log;
}

/** A process that serves one project: workflows, files and agents. */
export interface Host {
  /** Rejects when a worker cannot go on; never resolves. */
  failed: Promise<never>;
  /** Ends agents cleanly and stops serving; tasks stay open. */
  stop(): Promise<void>;
}

const SHARED: Partial<WorkerOptions> = {
  // An agent resumes its session at the next start: nothing is gained by waiting for its end.
  shutdownGraceTime: 0,
  shutdownForceTime: '20s',
  // A cancellation arrives in the answer to a heartbeat, so this bounds how late an abort comes.
  maxHeartbeatThrottleInterval: '2s',
  // After a kill -9 the server waits this long for the dead process before it asks another one.
  stickyQueueScheduleToStartTimeout: '2s',
  maxCachedWorkflows: 1_000,
};
const HOST_SLOTS = 8;
/** The board decides how many tasks work at once; this only has to be more. */
const AGENT_SLOTS = 100;

/** Starts to serve a project. What a dead process left unfinished is reported to the server first. */
export async function startHost(order: HostOrder): Promise<Host> {
  installRuntime(order.project.ralphDir);
  const { connection, native } = await connect(order.connection);
  try {
    return await serve(order, { connection, native });
  } catch (cause) {
    await native.close().catch(() => {}); // the first error is the one to hear of
    await connection.close();
    throw cause;
  }
}

interface Connections {
  connection: Connection;
  native: NativeConnection;
}

async function connect(server: ResolvedConnection): Promise<Connections> {
  const connection = await Connection.connect(server.connectOptions);
  try {
    return { connection, native: await NativeConnection.connect(server.connectOptions) };
  } catch (cause) {
    await connection.close();
    throw cause;
  }
}

async function serve(order: HostOrder, { connection, native }: Connections): Promise<Host> {
  const { connection: server, project, log } = order;
  // Our own server is prepared when it starts.
  if (!server.embedded) await prepareNamespace(connection, server.namespace);
  const client = new Client({ connection, namespace: server.namespace });
  const warn = (cause: unknown) =>
    log(`dead attempts could not be reported (${String(cause)}); their time-outs will do it`);

  const workers = await createWorkers(order, native);
  // Before we take anything up ourselves: what is started now can only be of the dead.
  await failDeadActivities({ client, project, log }).catch(warn);
  const servesSince = new Date().toISOString();
  const running = workers.map((worker) => worker.run());
  const reported = failDeadAttempts({ client, project, log }, servesSince).catch(warn);
  const failed = Promise.race(running).then(() => new Promise<never>(() => {}));
  failed.catch(() => {}); // whoever waits for it hears of it; nobody may be waiting yet
  return {
    failed,
    async stop() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await Promise.allSettled([...running, reported]);
      await native.close();
      await connection.close();
    },
  };
}

function createWorkers(
  { connection: server, project, environment }: HostOrder,
  native: NativeConnection,
): Promise<Worker[]> {
  const { hostId } = project;
  const host = { hostId, environment };
  const shared = { ...SHARED, connection: native, namespace: server.namespace };
  return Promise.all([
    Worker.create({
      ...shared,
      taskQueue: WORKFLOW_QUEUE,
      workflowBundle: { codePath: path.join(packageRoot(), 'dist', 'workflow-bundle.js') },
    }),
    Worker.create({
      ...shared,
      taskQueue: hostQueue(hostId),
      activities: createHostActivities(host),
      maxConcurrentActivityTaskExecutions: HOST_SLOTS,
    }),
    Worker.create({
      ...shared,
      taskQueue: agentQueue(hostId),
      activities: createAgentActivities(host),
      maxConcurrentActivityTaskExecutions: AGENT_SLOTS,
      maxConcurrentActivityTaskPolls: 2,
    }),
  ]);
}
