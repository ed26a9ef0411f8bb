import {
  getExternalWorkflowHandle,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { mergeWorkflowId, requestMergeSignal, withdrawMergeSignal } from './contract.ts';
import type { MergeRequest } from './domain/merge.ts';
import { mergeWorkflow } from './merge.ts';

/** Joins the merge train of the target branch, and starts it when nobody is on it. */
export async function joinTrain(join: {
  project: string;
  hostId: string;
  request: MergeRequest;
}): Promise<void> {
  const { target } = join.request;
  const workflowId = mergeWorkflowId(join.project, target);
  for (;;) {
    try {
      await startChild(mergeWorkflow, {
        workflowId,
        args: [{ hostId: join.hostId, target, queue: [join.request] }],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        staticSummary: `merge train of ${target}`,
        searchAttributes: { WiggumProject: [join.project] },
      });
      return;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    try {
      await getExternalWorkflowHandle(workflowId).signal(requestMergeSignal, join.request);
      return;
    } catch {
      // It ended between the two calls: start it after all.
    }
  }
}

/** Gives up a place in the train; false when there is no train to answer any more. */
export async function leaveTrain(
  project: string,
  target: string,
  taskWorkflowId: string,
): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(mergeWorkflowId(project, target)).signal(withdrawMergeSignal, {
      taskWorkflowId,
    });
    return true;
  } catch {
    return false;
  }
}
