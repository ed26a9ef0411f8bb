import { setHandler } from '@temporalio/workflow';
import { nudgeMergeSignal, requestMergeSignal, withdrawMergeSignal } from './contract.ts';
import { MergeRun, type MergeInput } from './merge-run.ts';

/** The merge train of one target branch: one at a time, in order of request. */
export async function mergeWorkflow(input: MergeInput): Promise<void> {
  const train = new MergeRun(input);
  setHandler(requestMergeSignal, (request) => train.board(request));
  setHandler(withdrawMergeSignal, ({ taskWorkflowId }) => train.leave(taskWorkflowId));
  setHandler(nudgeMergeSignal, () => train.nudge());
  await train.toTheEnd();
}
