import type { Client } from '@temporalio/client';
import type { Project } from '../config/project.ts';
import type { Environment } from '../config/state-dir.ts';
import type { HostHolder } from '../workers/host-lock.ts';
import type { ResolvedConnection } from '../workers/server/connection.ts';
import type { Log } from './command.ts';
import { connectClient } from './connect.ts';

/*
 * The one bridge from the commands to the workers: everything below is loaded when it is needed, so
 * that `wiggum --help` does not wait for it.
 */

export type { HostHolder, ResolvedConnection };

/** A client, and who serves its workflows: this process, or the one that already does. */
export interface Hosting {
  client: Client;
  connection: ResolvedConnection;
  /** Another process hosts this project. */
  attachedTo?: HostHolder;
  /** Whether somebody still serves the workflows, on the server that the client asks. */
  isServed: () => Promise<boolean>;
}

export interface HostOrder {
  project: Project;
  environment: Environment;
  /** `run`, or what this command hosts for: other commands read it. */
  purpose: string;
  log: Log;
  signal: AbortSignal;
}

/** Does work that needs a host: beside the living one, or with a host in this process meanwhile. */
export async function withHost<T>(
  order: HostOrder,
  work: (hosting: Hosting) => Promise<T>,
): Promise<T> {
  const { takeHostLock } = await import('../workers/host-lock.ts');
  const { ralphDir } = order.project;
  const lock = await takeHostLock(ralphDir, order.purpose);
  if ('heldBy' in lock)
    return withClient(order, (client, connection) => {
      const isServed = async () =>
        (await findHost(ralphDir)) !== undefined && !(await hasMoved(connection, order));
      return work({ client, connection, attachedTo: lock.heldBy, isServed });
    });
  try {
    return await withClient(order, (client, connection) => {
      const isServed = async () => !(await hasMoved(connection, order));
      return hostWhile(order, connection, () => work({ client, connection, isServed }));
    });
  } finally {
    await lock.release();
  }
}

/** Does work that only asks the server; starts the embedded one when it is not there. */
export async function withClient<T>(
  { environment, log }: Pick<HostOrder, 'environment' | 'log'>,
  work: (client: Client, connection: ResolvedConnection) => Promise<T>,
): Promise<T> {
  const { resolveConnection } = await import('../workers/server/connection.ts');
  const connection = await resolveConnection({ environment, log: (line) => log.info(line) });
  return useClient(connection, work);
}

/** Does work on a server that answers already; nothing is started for it. */
export async function withRunningServer<T>(
  environment: Environment,
  work: (client: Client, connection: ResolvedConnection) => Promise<T>,
): Promise<T | { noServer: string }> {
  const { namedServer } = await import('../workers/server/connection.ts');
  const named = namedServer(environment);
  if (named) {
    const silence = await whySilent(named);
    return silence === undefined ? useClient(named, work) : { noServer: silence };
  }
  const { serverStatus } = await import('../workers/server/dev-server.ts');
  const status = await serverStatus({ environment });
  switch (status.kind) {
    case 'never-started':
      return { noServer: 'the embedded server has not been started yet' };
    case 'stopped':
      return { noServer: 'the embedded server is not running' };
    case 'not-answering':
      return { noServer: `the embedded server does not answer: ${status.reason}` };
    case 'running': {
      const { address, namespace, uiUrl } = status.info;
      const connectOptions = { address };
      return useClient({ address, namespace, uiUrl, embedded: true, connectOptions }, work);
    }
  }
}

/** The process that hosts this project now. */
export async function findHost(ralphDir: string): Promise<HostHolder | undefined> {
  return (await import('../workers/host-lock.ts')).liveHost(ralphDir);
}

/** Ends the host of a project by its identity; undefined when none lives. */
export async function endHost(ralphDir: string): Promise<HostHolder | undefined> {
  const holder = await findHost(ralphDir);
  if (!holder) return undefined;
  const { endProcess } = await import('../workers/server/end-process.ts');
  await endProcess(holder);
  return holder;
}

/** Rewrites a board under the lock of its writers; false when nothing was to change. */
export async function changeBoard(file: string, edit: (text: string) => string): Promise<boolean> {
  return (await import('../workers/rewrite-board.ts')).rewriteBoard(file, edit);
}

async function useClient<T>(
  connection: ResolvedConnection,
  work: (client: Client, connection: ResolvedConnection) => Promise<T>,
): Promise<T> {
  const client = await connectClient(connection);
  try {
    return await work(client, connection);
  } finally {
    await client.connection.close();
  }
}

async function hostWhile<T>(
  { project, environment, log, signal }: HostOrder,
  connection: ResolvedConnection,
  work: () => Promise<T>,
): Promise<T> {
  const { startHost } = await import('../workers/host.ts');
  const { watchServer } = await import('../workers/server/watch-server.ts');
  const tell = (line: string) => log.info(line);
  const host = await startHost({ connection, project, environment, log: tell });
  const watch = watchServer(connection, {
    environment,
    log: tell,
    onDown: (reason) => log.warn(`the Temporal server is gone (${reason}); tasks wait for it`),
    onUp: () => undefined,
  });
  try {
    return await Promise.race([work(), host.failed]);
  } finally {
    if (signal.aborted) log.info('stopping agents…');
    await Promise.all([watch.stop(), host.stop()]);
  }
}

/** Our own server comes back at another address when a stranger took its port: all must go after it. */
async function hasMoved(
  { embedded, address }: ResolvedConnection,
  { environment }: Pick<HostOrder, 'environment'>,
): Promise<boolean> {
  if (!embedded) return false;
  const { knownAddress } = await import('../workers/server/dev-server.ts');
  const now = await knownAddress(environment);
  return now !== undefined && now !== address;
}

/** Asks for seconds only, where opening a client would wait for a server that never comes. */
async function whySilent({
  address,
  connectOptions,
}: ResolvedConnection): Promise<string | undefined> {
  const { openProbe } = await import('../workers/server/probe.ts');
  const probe = openProbe(connectOptions);
  try {
    return (await probe.answers()) ? undefined : `${address} does not answer (${probe.reason()})`;
  } finally {
    await probe.close();
  }
}
