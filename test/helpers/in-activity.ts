import { asyncLocalStorage, Context, type Info } from '@temporalio/activity';
import {
  ActivityCancellationDetails,
  CancelledFailure,
  noopMetricMeter,
  type ActivityCancellationDetailsOptions,
} from '@temporalio/common';

/** An activity that runs in a test: the context is the SDK's own, only nobody listens at its other end. */
export interface TestActivity<T> {
  result: Promise<T>;
  /** Details of all heartbeats so far. */
  beats: Record<string, unknown>[];
  /** Cancels as the worker does: the reason of the signal is the failure to rethrow. */
  cancel: (why: ActivityCancellationDetailsOptions) => void;
}

/** Runs a function as the attempt of an activity that may take an hour, or the time given. */
export function inActivity<T>(
  act: () => Promise<T>,
  attempt = 1,
  startToCloseTimeoutMs = 3_600_000,
): TestActivity<T> {
  const controller = new AbortController();
  const beats: Record<string, unknown>[] = [];
  const holder: { details?: ActivityCancellationDetails } = {};
  const cancelled = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Error));
  });
  cancelled.catch(() => {});
  const info = {
    activityId: '1',
    attempt,
    startToCloseTimeoutMs,
    workflowExecution: { workflowId: 'task/test/AB-1', runId: 'run' },
  } as Info;
  const log = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, log() {} };
  const context = new Context(
    info,
    cancelled,
    controller.signal,
    (details: Record<string, unknown>) => beats.push(details),
    undefined,
    log,
    noopMetricMeter,
    holder,
  );
  return {
    result: asyncLocalStorage.run(context, act),
    beats,
    cancel: (why) => {
      holder.details = new ActivityCancellationDetails(why);
      controller.abort(new CancelledFailure(why.workerShutdown ? 'WORKER_SHUTDOWN' : 'CANCELLED'));
    },
  };
}
