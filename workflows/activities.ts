import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { ActivityOptions } from '@temporalio/workflow';
import type { HostActivities, AgentActivities } from '../activities/index.ts';
import { agentQueue, hostQueue } from './contract.ts';
import { FINAL_ERROR_CODES } from './domain/errors.ts';

/*
 * The only time-outs and retry policies. Attempts are not counted, but for clean-up: a host may be
 * away for a week, and its work goes on when it is back. What cannot heal is final by its error code.
 */

const RETRY: ActivityOptions['retry'] = {
  initialInterval: '500ms',
  backoffCoefficient: 2,
  maximumInterval: '30s',
  nonRetryableErrorTypes: FINAL_ERROR_CODES,
};

/** Files, board and git of one host: short, idempotent. */
export function hostActivities(hostId: string, summary: string): HostActivities {
  return proxyActivities<HostActivities>({
    taskQueue: hostQueue(hostId),
    startToCloseTimeout: '5 minutes',
    // A git command is never left half-way: a cancelled task waits for the one that runs.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: RETRY,
    summary,
  });
}

/** Clean-up: worth a few tries, never worth the result of what went before it. */
export function tidyActivities(hostId: string, summary: string): HostActivities {
  return proxyActivities<HostActivities>({
    taskQueue: hostQueue(hostId),
    startToCloseTimeout: '5 minutes',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { ...RETRY, maximumAttempts: 5 },
    summary,
  });
}

/** A project's own check commands: as long as a test suite may take, cancellable. */
export function checkActivities(hostId: string, summary: string): HostActivities {
  return proxyActivities<HostActivities>({
    taskQueue: hostQueue(hostId),
    startToCloseTimeout: '1 hour',
    heartbeatTimeout: '60s',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: RETRY,
    summary,
  });
}

/**
 * Agent runs. The heartbeat time-out rides out a restart of the server; a dead attempt is reported
 * by the host that comes back, so recovery does not wait for it.
 */
export function agentActivities(
  hostId: string,
  summary: string,
  timeoutSeconds: number,
): AgentActivities {
  return proxyActivities<AgentActivities>({
    taskQueue: agentQueue(hostId),
    // The keeper ends the agent at its own limit; this one only catches a keeper that cannot.
    startToCloseTimeout: `${timeoutSeconds + 300}s`,
    heartbeatTimeout: '60s',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { ...RETRY, maximumInterval: '10s' },
    summary,
  });
}
