import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { identityOf, isAlive } from '../../activities/process-identity.ts';
import { cacheDir } from '../../workers/server/cache-dir.ts';
import { ensureServer, serverStatus, stopServer } from '../../workers/server/dev-server.ts';
import { endProcess } from '../../workers/server/end-process.ts';
import { serversOnFile } from '../../workers/server/servers-on-file.ts';
import { until } from './until.ts';
import { withFolder } from './with-folder.ts';

/** A user of our own: an empty state folder, in which a server can be started. */
export interface OwnServer {
  state: string;
  environment: Record<string, string>;
  /** What the server's parts said, in order. */
  said: string[];
  log: (sentence: string) => void;
  ensure: () => ReturnType<typeof ensureServer>;
  status: () => ReturnType<typeof serverStatus>;
  stop: () => ReturnType<typeof stopServer>;
}

/** Makes a user, lets a test start and stop servers, and ends every server whatever happens. */
export async function withOwnServer(use: (own: OwnServer) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const state = path.join(folder, 'state');
    const environment = {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      TMPDIR: folder,
      WIGGUM_STATE_DIR: state,
      WIGGUM_CACHE_DIR: cacheDir(process.env),
      ...passedOn('WIGGUM_TEMPORAL_CLI'),
    };
    const said: string[] = [];
    const log = (sentence: string) => void said.push(sentence);
    try {
      await use({
        ...{ state, environment, said, log },
        ensure: () => ensureServer({ environment, log }),
        status: () => serverStatus({ environment }),
        stop: () => stopServer({ environment, log }),
      });
    } finally {
      await endServersIn(state);
    }
  });
}

/** Kills a server as a crash would, and waits until it is gone. */
export async function kill(pid: number): Promise<void> {
  const identity = await identityOf(pid);
  process.kill(pid, 'SIGKILL');
  await until('the process is gone', async () => !identity || !(await isAlive(identity)));
}

/** Uses a client of a server, and closes it. */
export async function withClientOf<T>(
  address: string,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await use(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

/** Leaves an open run behind that nobody works on. */
export async function startRun(address: string, workflowId: string): Promise<void> {
  await withClientOf(address, (client) =>
    client.workflow.start('nobodyRunsIt', { workflowId, taskQueue: 'none' }),
  );
}

/** The ids of the open runs of a server. */
export function openRuns(address: string): Promise<string[]> {
  return withClientOf(address, async (client) => {
    const ids: string[] = [];
    for await (const { workflowId } of client.workflow.list({ query: 'ExecutionStatus="Running"' }))
      ids.push(workflowId);
    return ids;
  });
}

/** By the files, not by the record: a test may have damaged that one. */
async function endServersIn(state: string): Promise<void> {
  const folders = await readdir(state).catch(() => []);
  for (const folder of folders.filter((name) => name.startsWith('server-')))
    for (const server of await serversOnFile(path.join(state, folder, 'temporal.db')))
      await endProcess(server);
}

function passedOn(name: string): Record<string, string> {
  const value = process.env[name];
  return value === undefined ? {} : { [name]: value };
}
