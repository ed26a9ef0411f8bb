import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { BoardStatus, StartOrder, SweepSettings, TaskMove } from './domain/sweep.ts';
import type { MergeOutcome, MergeRequest } from './domain/merge.ts';
import type { TaskStatus } from './domain/task.ts';

/*
 * Every name that a history or a client knows. Names here are never renamed: open workflows carry them.
 */

/** Workflow types, as they are registered. */
export const BOARD_WORKFLOW = 'boardWorkflow';
export const TASK_WORKFLOW = 'taskWorkflow';
export const MERGE_WORKFLOW = 'mergeWorkflow';

/** Queue of workflow tasks; everything that touches files goes to the queues of one host. */
export const WORKFLOW_QUEUE = 'wiggum';
export const hostQueue = (hostId: string): string => `host-${hostId}`;
export const agentQueue = (hostId: string): string => `agent-${hostId}`;

export const boardWorkflowId = (project: string): string => `board/${project}`;
export const taskWorkflowId = (project: string, task: string): string => `task/${project}/${task}`;
export const mergeWorkflowId = (project: string, branch: string): string =>
  `merge/${project}/${branch}`;

/** Search attributes, with the types they are registered under. */
export const SEARCH_ATTRIBUTES = {
  WiggumProject: 'KEYWORD',
  WiggumTask: 'KEYWORD',
  WiggumState: 'KEYWORD',
  WiggumStep: 'KEYWORD',
  WiggumNeedsHuman: 'BOOL',
  WiggumPriority: 'INT',
} as const;

/** Starts a sweep of the board, or joins the one that is going on. */
export const sweepUpdate = defineUpdate<{ joined: boolean }, [SweepSettings]>('sweep');
/** Starts or restarts one task. */
export const startTaskUpdate = defineUpdate<{ epoch: number }, [StartOrder]>('startTask');
/** A task tells the board where it stands. */
export const taskMovedSignal = defineSignal<[TaskMove]>('taskMoved');
export const boardStatusQuery = defineQuery<BoardStatus>('status');

/** Who wants something; optional, because the stock Temporal tools send no argument by default. */
export interface Wish {
  by?: string;
}
export interface RestartWish extends Wish {
  /** Step to begin at; without one the first. */
  from?: string;
}

/** Ends a task: agent stopped, workspace kept, board marked. */
export const abortSignal = defineSignal<[Wish?]>('abort');
export const abortUpdate = defineUpdate<string, [Wish?]>('abort');
/** Begins the pipeline again in the same workspace, from its first step or from `from`. */
export const restartSignal = defineSignal<[RestartWish?]>('restart');
export const restartUpdate = defineUpdate<string, [RestartWish?]>('restart');
export interface SteerWish extends Wish {
  /** What the agent is told, word for word. */
  text: string;
}
/** Says something to the next iteration of a task's agent; the number asks what became of it. */
export const steerSignal = defineSignal<[SteerWish]>('steer');
export const steerUpdate = defineUpdate<number, [SteerWish]>('steer');
/** Null while the words wait. An update would have to stay open for it, and a workflow may have ten of them. */
export const steeredQuery = defineQuery<Steered | null, [number]>('steered');
export interface Steered {
  delivered: boolean;
  /** Step and iteration that heard it, or why none will. */
  where: string;
}
/** The board asks nothing but whether a task is still there. */
export const knockSignal = defineSignal('knock');
/** A person asks for the merge of a task that waits at `[P]`. */
export const mergeUpdate = defineUpdate<string, [Wish?]>('merge');
export const mergeSignal = defineSignal<[Wish?]>('merge');
export const taskStatusQuery = defineQuery<TaskStatus>('status');

/** A task asks the merge train for its turn, and hears how it went. */
export const requestMergeSignal = defineSignal<[MergeRequest]>('requestMerge');
export const withdrawMergeSignal = defineSignal<[{ taskWorkflowId: string }]>('withdrawMerge');
/** Something may have changed: a merge that waits is tried again at once. */
export const nudgeMergeSignal = defineSignal('nudgeMerge');
export const mergeSettledSignal = defineSignal<[MergeOutcome]>('mergeSettled');
