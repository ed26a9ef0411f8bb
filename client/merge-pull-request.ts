import { boardFile, readBoardFile } from '../config/open-board.ts';
import { findPullRequest } from '../config/pull-request-file.ts';
import type { Project } from '../config/project.ts';
import { mergeUpdate } from '../workflows/contract.ts';
import { ExitCode, WiggumError } from '../workflows/domain/errors.ts';
import type { PullRequest } from '../workflows/domain/pull-request.ts';
import { askTask, nudgeTrain, personAt } from './ask.ts';
import type { TaskView } from './board-view.ts';
import type { CommandContext } from './command.ts';
import { withClient } from './hosting.ts';
import { carryOut, type Carried, type TaskOrder } from './order-task.ts';
import { failureReason, newestRuns } from './task-runs.ts';
import { isMergeSettled, isTaskOpen, mergeObstacle } from './task-standing.ts';
import { askTaskStatus } from './watch-board.ts';

export interface MergeWish {
  project: Project;
  pullRequest: PullRequest;
  json: boolean;
}

/** Has a pull request merged by its task's workflow, and shows it until that is done or cannot go on. */
export async function mergePullRequest(wish: MergeWish, context: CommandContext): Promise<number> {
  const { number, taskId, state } = wish.pullRequest;
  switch (state) {
    case 'open':
      if (await isOpen(wish, context)) break;
      throw await whyNotRunning(wish);
    case 'closed':
      throw new WiggumError(
        'REFUSED',
        `Pull request ${number} is closed; \`wiggum worker restart ${taskId}\` makes another one.`,
      );
    case 'merged':
      // The merge stands; its task may have been interrupted before it could say so.
      if ((await isUnmarked(wish)) && (await isOpen(wish, context))) break;
      say(wish, context, `Pull request ${number} (${taskId}) is merged already.`);
      return ExitCode.ok;
  }
  const carried = await carryOut(orderOf(wish, context), context, { json: wish.json });
  return report(wish, carried, context);
}

function orderOf({ project, pullRequest }: MergeWish, context: CommandContext): TaskOrder {
  const task = pullRequest.taskId;
  const argument = { by: personAt(context.environment) };
  return {
    project,
    id: task,
    purpose: `pr merge ${task}`,
    give: async (client) => {
      // Asked before and not yet through: the wish stands, and is tried again at once.
      const status = await askTaskStatus(client, project.id, { id: task });
      if (pullRequest.state === 'merged') return;
      if (status?.state === 'merging') return nudgeTrain(client, project, pullRequest);
      await askTask(client, { project, task, update: mergeUpdate, argument });
    },
    isOver: isMergeSettled,
  };
}

function isOpen(
  { project, pullRequest: { taskId } }: MergeWish,
  context: CommandContext,
): Promise<boolean> {
  return withClient(context, (client) => isTaskOpen(client, project.id, taskId));
}

async function isUnmarked({ project, pullRequest: { taskId } }: MergeWish): Promise<boolean> {
  const { board } = await readBoardFile(boardFile(project.ralphDir));
  const marker = board.tasks.find(({ id }) => id === taskId)?.marker;
  return marker === 'P' || marker === '=';
}

async function whyNotRunning({ project, pullRequest }: MergeWish): Promise<WiggumError> {
  const { taskId } = pullRequest;
  const run = (await newestRuns(project.ralphDir)).get(taskId);
  const reason = run && (await failureReason(run.folder));
  return new WiggumError(
    'TASK_NOT_RUNNING',
    `The run of ${taskId} has ended${reason ? `: ${reason}` : ''}. \`wiggum worker restart ${taskId}\` goes on in its workspace.`,
  );
}

async function report(wish: MergeWish, carried: Carried, context: CommandContext): Promise<number> {
  const { taskId, number } = wish.pullRequest;
  switch (carried.kind) {
    case 'interrupted':
      return ExitCode.interrupted;
    case 'vanished':
      throw new WiggumError('REFUSED', `${taskId} is no longer on the board.`);
    case 'host-gone':
      throw new WiggumError(
        'REFUSED',
        `Process ${carried.pid}, which merged ${taskId}, has ended; \`wiggum run\` or the same command again goes on.`,
      );
    case 'ended':
      break;
  }
  const obstacle = mergeObstacle(carried.task);
  if (obstacle !== undefined)
    throw new WiggumError(
      'CHECKOUT_DIRTY',
      `The merge of pull request ${number} waits: ${obstacle}.\nIt goes on while a host is running: \`wiggum run\`, or this command again.`,
    );
  if (carried.task.state !== 'done') throw notMerged(carried.task, number);
  const { target, mergedAs } = await findPullRequest(wish.project.ralphDir, number);
  const commit = mergedAs ? ` as ${mergedAs.slice(0, 10)}` : '';
  say(wish, context, `Pull request ${number} (${taskId}) is merged into ${target}${commit}.`);
  return ExitCode.ok;
}

function notMerged({ id, why, lifecycle }: TaskView, number: number): WiggumError {
  const isConflict = lifecycle === 'merge_conflict' || why.startsWith('merge conflict');
  const goOn = isConflict
    ? `\`wiggum worker start ${id}\` does it again on what the target is now.`
    : `\`wiggum worker restart ${id}\` begins again in its workspace.`;
  return new WiggumError(
    isConflict ? 'MERGE_CONFLICT' : 'REFUSED',
    `Pull request ${number} of ${id} was not merged: ${why}. ${goOn}`,
  );
}

function say({ json, pullRequest }: MergeWish, { stdout }: CommandContext, text: string): void {
  const { number, taskId } = pullRequest;
  stdout.write(
    json ? `${JSON.stringify({ pullRequest: number, task: taskId, merged: true })}\n` : `${text}\n`,
  );
}
