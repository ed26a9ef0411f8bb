import { ApplicationFailure, setHandler } from '@temporalio/workflow';
import {
  abortSignal,
  abortUpdate,
  knockSignal,
  mergeSettledSignal,
  mergeSignal,
  mergeUpdate,
  restartSignal,
  restartUpdate,
  steerSignal,
  steeredQuery,
  steerUpdate,
  taskStatusQuery,
  type RestartWish,
  type SteerWish,
  type Wish,
} from './contract.ts';
import type { TaskResult } from './domain/task.ts';
import type { TaskInput } from './domain/task-input.ts';
import { TaskRun } from './task-run.ts';

/** One task: workspace → pipeline → pull request → merge. Ends merged, or failed with a reason. */
export async function taskWorkflow(input: TaskInput): Promise<TaskResult> {
  const run = new TaskRun(input);
  const { taskId } = input;
  setHandler(taskStatusQuery, () => run.status);

  setHandler(abortSignal, (wish) => run.order({ kind: 'abort', by: wish?.by ?? 'a signal' }));
  const unlessEnding: { validator: (wish?: Wish) => void } = {
    validator: () => refuseIf(run.whyNoOrder()),
  };
  setHandler(
    abortUpdate,
    (wish?: Wish) => {
      run.order({ kind: 'abort', by: wish?.by ?? 'a person' });
      return `${taskId} is being ended`;
    },
    unlessEnding,
  );

  setHandler(restartSignal, (wish) => {
    if (run.whyNoStep(wish?.from) === undefined)
      run.order({ kind: 'restart', by: wish?.by ?? 'a signal', from: wish?.from });
  });
  setHandler(
    restartUpdate,
    (wish?: RestartWish) => {
      run.order({ kind: 'restart', by: wish?.by ?? 'a person', from: wish?.from });
      return `${taskId} begins again${wish?.from ? ` at ${wish.from}` : ''}`;
    },
    { validator: (wish?: RestartWish) => refuseIf(run.whyNoOrder() ?? run.whyNoStep(wish?.from)) },
  );

  setHandler(mergeSignal, (wish) => {
    if (run.whyNoMerge() === undefined) run.approve(wish?.by ?? 'a signal');
  });
  const whileItWaits: { validator: (wish?: Wish) => void } = {
    validator: () => refuseIf(run.whyNoMerge()),
  };
  setHandler(
    mergeUpdate,
    (wish?: Wish) => {
      run.approve(wish?.by ?? 'a person');
      return `${taskId} joins the merge train`;
    },
    whileItWaits,
  );
  setHandler(steerSignal, (wish) => {
    if (isSaid(wish) && run.whyNoSteering(wish.text) === undefined) run.steer(wish.text);
  });
  setHandler(steerUpdate, (wish: SteerWish) => run.steer(wish.text), {
    validator: (wish: SteerWish) =>
      refuseIf(isSaid(wish) ? run.whyNoSteering(wish.text) : WHAT_CAN_BE_SAID),
  });
  setHandler(steeredQuery, (number) => run.steered(number));
  setHandler(knockSignal, () => {});
  setHandler(mergeSettledSignal, (outcome) => run.hear(outcome));
  return run.toTheEnd();
}

const MAX_WORDS = 16_000;
const WHAT_CAN_BE_SAID = `guidance is a text of 1 to ${MAX_WORDS} characters`;

/** The stock Temporal tools can send anything. */
function isSaid(wish: SteerWish | undefined): wish is SteerWish {
  return typeof wish?.text === 'string' && wish.text.trim() !== '' && wish.text.length <= MAX_WORDS;
}

function refuseIf(refusal: string | undefined): void {
  if (refusal !== undefined) throw ApplicationFailure.nonRetryable(refusal, 'REFUSED');
}
