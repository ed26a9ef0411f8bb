import {
  ApplicationFailure,
  isGrpcServiceError,
  ServiceError,
  WithStartWorkflowOperation,
  WorkflowIdConflictPolicy,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
} from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';
import type { Project } from '../config/project.ts';
import type { Environment } from '../config/state-dir.ts';
import {
  BOARD_WORKFLOW,
  boardWorkflowId,
  mergeWorkflowId,
  nudgeMergeSignal,
  startTaskUpdate,
  sweepUpdate,
  taskWorkflowId,
  WORKFLOW_QUEUE,
} from '../workflows/contract.ts';
import { ERRORS, WiggumError, type ErrorCode } from '../workflows/domain/errors.ts';
import type { StartOrder, SweepSettings } from '../workflows/domain/sweep.ts';

const ANSWER_MS = 30_000;

/** Starts a sweep of the board, or joins the one that is open. */
export function askSweep(
  client: Client,
  project: Project,
  settings: SweepSettings,
): Promise<{ joined: boolean }> {
  return answered(client, () =>
    client.workflow.executeUpdateWithStart(sweepUpdate, {
      args: [settings],
      startWorkflowOperation: boardStart(project, settings),
    }),
  );
}

/** Starts or restarts one task, whatever the schedule says. */
export function askStart(
  client: Client,
  project: Project,
  order: StartOrder,
): Promise<{ epoch: number }> {
  return answered(client, () =>
    client.workflow.executeUpdateWithStart(startTaskUpdate, {
      args: [order],
      startWorkflowOperation: boardStart(project, order.settings),
    }),
  );
}

/** Gives one task's open workflow an order that has a name in the contract. */
export async function askTask<Wish>(
  client: Client,
  ask: {
    project: Project;
    task: string;
    update: UpdateDefinition<string, [Wish?]>;
    argument: Wish;
  },
): Promise<string> {
  const handle = client.workflow.getHandle(taskWorkflowId(ask.project.id, ask.task));
  return askUpdate(client, ask.task, () =>
    handle.executeUpdate<string, [Wish]>(ask.update.name, { args: [ask.argument] }),
  );
}

/** Asks a task's workflow; one that is not open has a plain answer. */
export async function askUpdate<T>(
  client: Client,
  task: string,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await answered(client, ask);
  } catch (cause) {
    if (!(cause instanceof WorkflowNotFoundError)) throw cause;
    throw new WiggumError('TASK_NOT_RUNNING', `${task} is not running.`, { cause });
  }
}

/** The name under which an order of this person goes on record. */
export function personAt(environment: Environment): string {
  return environment['USER'] || environment['LOGNAME'] || 'a person';
}

/** Has a merge that waits tried again now; a train that has ended needs no nudge. */
export async function nudgeTrain(
  client: Client,
  project: Project,
  { target }: { target: string },
): Promise<void> {
  try {
    await client.workflow.getHandle(mergeWorkflowId(project.id, target)).signal(nudgeMergeSignal);
  } catch (cause) {
    if (!(cause instanceof WorkflowNotFoundError)) throw cause;
  }
}

/** Whether a failed question means that nobody could answer, rather than that the answer is no. */
export function isUnanswered(cause: unknown): boolean {
  return (
    cause instanceof ServiceError ||
    cause instanceof WorkflowUpdateRPCTimeoutOrCancelledError ||
    isGrpcServiceError(cause)
  );
}

function boardStart(project: Project, settings: SweepSettings) {
  const { id, hostId, projectDir, ralphDir } = project;
  return new WithStartWorkflowOperation(BOARD_WORKFLOW, {
    workflowId: boardWorkflowId(id),
    taskQueue: WORKFLOW_QUEUE,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    args: [{ project: id, hostId, projectDir, ralphDir, settings }],
    staticSummary: `board of ${projectDir}`.slice(0, 180),
    searchAttributes: { WiggumProject: [id] },
  });
}

/** Bounds the wait for an answer, and turns a refusal of ours back into the error that it was. */
async function answered<T>(client: Client, ask: () => Promise<T>): Promise<T> {
  try {
    return await client.withDeadline(Date.now() + ANSWER_MS, ask);
  } catch (cause) {
    const refusal = cause instanceof WorkflowUpdateFailedError ? cause.cause : undefined;
    if (refusal instanceof ApplicationFailure && isErrorCode(refusal.type))
      throw new WiggumError(refusal.type, refusal.message, { cause });
    if (isUnanswered(cause))
      throw new WiggumError(
        'SERVER_UNREACHABLE',
        `Nobody answered within ${ANSWER_MS / 1000} seconds: the server or the host of this project is busy or gone.`,
        { cause },
      );
    throw cause;
  }
}

function isErrorCode(type: string | null | undefined): type is ErrorCode {
  return typeof type === 'string' && Object.hasOwn(ERRORS, type);
}
