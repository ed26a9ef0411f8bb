import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { loadRun } from '../config/load-definitions.ts';
import type { Project } from '../config/project.ts';
import { restartUpdate } from '../workflows/contract.ts';
import { WiggumError } from '../workflows/domain/errors.ts';
import type { SweepSettings } from '../workflows/domain/sweep.ts';
import { askStart, askTask, personAt } from './ask.ts';
import type { CommandContext } from './command.ts';
import { earlierSettings } from './earlier-settings.ts';
import { findHost, withClient } from './hosting.ts';
import type { TaskOrder } from './order-task.ts';
import { mustHaveBackend, type Prepared } from './preflight.ts';
import type { SweepFlags } from './sweep-settings.ts';
import { isTaskOpen, isThrough } from './task-standing.ts';
import { newestRuns, type TaskRunFolder } from './task-runs.ts';

export interface StartWish {
  action: 'start' | 'restart';
  id: string;
  /** Step to begin at. */
  from: string | undefined;
  /** What this command says itself. */
  flags: SweepFlags;
  prepared: Prepared;
}

/** Decides what starting or restarting a task means now; refuses when there is nothing to do. */
export async function planStart(wish: StartWish, context: CommandContext): Promise<TaskOrder> {
  const { action, id, from, prepared } = wish;
  const { project } = prepared;
  refuseSettled(wish);
  // What can be refused without a server needs none.
  if (from !== undefined && action === 'start')
    await mustHaveStep({ id, ...prepared }, from, context);
  const { isOpen, earlier, settings } = await withClient(context, (client) =>
    standingOf(client, wish, context),
  );
  if (from !== undefined && action === 'restart')
    await mustHaveStep({ id, project, settings }, from, context);
  const order = { project, id, purpose: `worker ${action} ${id}`, isOver: isThrough };
  if (!isOpen) {
    await mustHaveBackend(settings, context);
    return { ...order, give: await startAnew(wish, settings, earlier) };
  }
  if (wish.flags.plan)
    throw new WiggumError(
      'REFUSED',
      `${id} is under way, and a plan is made only at a beginning: stop it with \`wiggum worker stop ${id}\`, then \`wiggum worker restart ${id} --plan\` begins with one.`,
    );
  if (action === 'start') {
    await refuseAtWork(wish);
    context.log.info(`${id} was interrupted; it goes on where it stood`);
    return { ...order, give: () => Promise.resolve() };
  }
  const argument = { by: personAt(context.environment), ...(from !== undefined && { from }) };
  return {
    ...order,
    give: async (client) => {
      await askTask(client, { project, task: id, update: restartUpdate, argument });
    },
  };
}

/** Whether the task is open, which run of it a restart goes on with, and what that runs with. */
async function standingOf(
  client: Client,
  { action, id, flags, prepared }: StartWish,
  { log }: CommandContext,
) {
  const { project, settings } = prepared;
  const isOpen = await isTaskOpen(client, project.id, id);
  const earlier = action === 'restart' ? (await newestRuns(project.ralphDir)).get(id) : undefined;
  if (!earlier) return { isOpen, earlier, settings };
  const { epoch } = earlier;
  const kept = await earlierSettings(client, prepared, { task: id, epoch, flags, log });
  return { isOpen, earlier, settings: kept };
}

function refuseSettled({ action, id, prepared: { board } }: StartWish): void {
  const marker = board.tasks.find((task) => task.id === id)?.marker;
  const state = marker === 'x' ? 'done ([x])' : marker === 'N' ? 'not planned ([N])' : undefined;
  if (state === undefined) return;
  throw new WiggumError(
    'REFUSED',
    `${id} is ${state}: there is nothing to ${action}. Set its marker to [ ] on the board to have it done again.`,
  );
}

async function refuseAtWork({ id, prepared: { project, board } }: StartWish): Promise<void> {
  const marker = board.tasks.find((task) => task.id === id)?.marker;
  if (marker === 'P')
    throw new WiggumError(
      'REFUSED',
      `${id} is through and waits for its merge: \`wiggum pr merge ${id}\` merges it, \`wiggum worker restart ${id}\` begins again.`,
    );
  const host = await findHost(project.ralphDir);
  if (host)
    throw new WiggumError('TASK_ALREADY_RUNS', `${id} runs already, in process ${host.pid}.`);
}

/** A task without an open workflow: a restart goes on in the workspace of its last run. */
async function startAnew(
  { action, id, from, prepared: { project } }: StartWish,
  settings: SweepSettings,
  run: TaskRunFolder | undefined,
): Promise<TaskOrder['give']> {
  const hasWorkspace = run !== undefined && (await isFolder(join(run.folder, 'workspace')));
  if (action === 'restart' && from !== undefined && !hasWorkspace)
    throw new WiggumError(
      'REFUSED',
      `${id} has no workspace to begin at ${from} in; \`wiggum worker start ${id}\` begins in a new one.`,
    );
  return async (client) => {
    await askStart(client, project, {
      id,
      settings,
      ...(from !== undefined && { from }),
      ...(run && hasWorkspace && { epoch: run.epoch }),
    });
  };
}

async function mustHaveStep(
  { id, project, settings }: { id: string; project: Project; settings: SweepSettings },
  from: string,
  { environment }: CommandContext,
): Promise<void> {
  const { pipeline } = await loadRun(
    { taskId: id, ...(settings.pipeline !== undefined && { pipeline: settings.pipeline }) },
    { ralphDir: project.ralphDir, environment },
  );
  if (pipeline.steps.some((step) => step.id === from)) return;
  const known = pipeline.steps.map((step) => step.id).join(', ');
  throw new WiggumError(
    'USAGE',
    `The pipeline ${pipeline.name} has no step "${from}"; it has ${known}.`,
  );
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
