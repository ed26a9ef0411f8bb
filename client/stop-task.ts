import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { boardFile, readBoardFile } from '../config/open-board.ts';
import type { Project } from '../config/project.ts';
import { abortUpdate } from '../workflows/contract.ts';
import type { Marker } from '../workflows/domain/board.ts';
import { WiggumError } from '../workflows/domain/errors.ts';
import { askTask, personAt } from './ask.ts';
import type { CommandContext } from './command.ts';
import { withClient, withHost, withRunningServer } from './hosting.ts';
import { isTaskOpen } from './task-standing.ts';

export interface Stopped {
  isStopped: boolean;
  marker: Marker | undefined;
  reason: string;
}

/** How long a task may take to end before its stop counts as failed (checklist 11). */
const PATIENCE_MS = 30_000;
const MARKING_MS = 5_000;
const LOOK_EVERY_MS = 200;

/** Ends one task: agent stopped, workspace kept, board marked. Hosts for it when nobody does. */
export async function stopTask(
  { project, id }: { project: Project; id: string },
  context: CommandContext,
): Promise<Stopped> {
  const { environment, log, signal } = context;
  const before = await markerOf(project, id);
  if (!(await isOpen({ project, id }, before, context)))
    throw new WiggumError('TASK_NOT_RUNNING', `${id} is not running: ${STANDING[before ?? ' ']}.`);
  const by = personAt(environment);
  return withHost(
    { project, environment, purpose: `worker stop ${id}`, log, signal },
    async ({ client }) => {
      await askTask(client, { project, task: id, update: abortUpdate, argument: { by } });
      return describeEnd(await waitForEnd({ client, project, id, signal }), by);
    },
  );
}

const STANDING: Record<Marker, string> = {
  ' ': 'it has not started ([ ])',
  '=': 'nothing works on it, though its marker is [=]; the next `wiggum run` takes it up',
  P: 'its run has ended, though its marker is [P]',
  x: 'it is done ([x])',
  '*': 'it has failed ([*])',
  N: 'it is not planned ([N])',
};

/** A server that is down is started for the question only when the board speaks for an open task. */
async function isOpen(
  { project, id }: { project: Project; id: string },
  marker: Marker | undefined,
  context: CommandContext,
): Promise<boolean> {
  const ask = (client: Client) => isTaskOpen(client, project.id, id);
  const asked = await withRunningServer(context.environment, ask);
  if (typeof asked === 'boolean') return asked;
  return marker === '=' || marker === 'P' ? withClient(context, ask) : false;
}

interface End {
  isClosed: boolean;
  marker: Marker | undefined;
}

async function waitForEnd({
  client,
  project,
  id,
  signal,
}: {
  client: Client;
  project: Project;
  id: string;
  signal: AbortSignal;
}): Promise<End> {
  const deadline = Date.now() + PATIENCE_MS;
  let closedAt: number | undefined;
  for (;;) {
    if (closedAt === undefined && !(await isTaskOpen(client, project.id, id)))
      closedAt = Date.now();
    const marker = await markerOf(project, id);
    const isClosed = closedAt !== undefined;
    // The board is marked just before or just after the workflow closes.
    const isMarked = marker === '*' || marker === 'x';
    const until = closedAt === undefined ? deadline : closedAt + MARKING_MS;
    if ((isClosed && isMarked) || Date.now() > until || signal.aborted) return { isClosed, marker };
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

function describeEnd({ isClosed, marker }: End, by: string): Stopped {
  if (!isClosed)
    return {
      isStopped: false,
      marker,
      reason: `it has not ended within ${PATIENCE_MS / 1000} seconds; it ends as soon as it can`,
    };
  return marker === 'x'
    ? { isStopped: false, marker, reason: 'it was merged before the stop came' }
    : { isStopped: true, marker, reason: `aborted by ${by}` };
}

async function markerOf(project: Project, id: string): Promise<Marker | undefined> {
  const { board } = await readBoardFile(boardFile(project.ralphDir));
  return board.tasks.find((task) => task.id === id)?.marker;
}
