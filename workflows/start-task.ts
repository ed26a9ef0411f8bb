import { ParentClosePolicy, startChild, WorkflowIdReusePolicy } from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { taskWorkflowId } from './contract.ts';
import { PRIORITIES } from './domain/board.ts';
import type { TaskInput } from './domain/task-input.ts';
import { taskWorkflow } from './task.ts';

/**
 * Starts the workflow of a task; false when one is open. It outlives the board that started it: one
 * that is there already goes on and reports to the board of the day.
 */
export async function startTask(
  input: TaskInput,
  onLost: (cause: unknown) => void,
): Promise<boolean> {
  const { project, taskId, title, priority } = input;
  try {
    const child = await startChild(taskWorkflow, {
      workflowId: taskWorkflowId(project, taskId),
      args: [input],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      staticSummary: `${taskId}: ${title}`.slice(0, 180),
      searchAttributes: {
        WiggumProject: [project],
        WiggumTask: [taskId],
        WiggumState: ['none'],
        WiggumNeedsHuman: [false],
        WiggumPriority: [PRIORITIES.indexOf(priority)],
      },
    });
    void child.result().catch(onLost);
    return true;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return false;
  }
}
