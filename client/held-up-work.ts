import type { WorkflowExecutionDescription } from '@temporalio/client';

/** One piece of work that a workflow waits for, as the server tells it. */
export type PendingWork = Pick<
  NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number],
  | 'activityType'
  | 'attempt'
  | 'lastAttemptCompleteTime'
  | 'lastFailure'
  | 'lastHeartbeatTime'
  | 'paused'
>;

const EVERY_MS = 5_000;
const LONGEST = 500;

/** Why work that was begun does not come to its end; undefined when nothing holds it up. */
export function heldUpBy(pending: readonly PendingWork[]): string | undefined {
  const paused = pending.find((work) => work.paused);
  if (paused) {
    const name = paused.activityType?.name ?? 'its work';
    return `${name} was paused in Temporal and waits to be unpaused there${failureOf(paused)}`;
  }
  const [worst] = pending.filter(isTriedAgain).sort((a, b) => attemptOf(b) - attemptOf(a));
  return worst && `tries again (attempt ${attemptOf(worst)})${failureOf(worst)}`;
}

/** Whether to ask the server about a task: of one that moves, or was just asked about, there is no news. */
export function isWorthAsking(
  now: number,
  { changedAt, askedAt }: { changedAt: number; askedAt: number },
): boolean {
  return now - changedAt >= EVERY_MS && now - askedAt >= EVERY_MS;
}

function isTriedAgain(work: PendingWork): boolean {
  if (attemptOf(work) < 2 || !work.lastFailure) return false;
  // A sign of life after the last failure: it is at work again.
  return timeOf(work.lastHeartbeatTime) <= timeOf(work.lastAttemptCompleteTime);
}

function attemptOf({ attempt }: PendingWork): number {
  return attempt ?? 1;
}

function failureOf({ lastFailure }: PendingWork): string {
  const message = (lastFailure?.message ?? '').replace(/\s+/g, ' ').trim();
  return message === '' ? '' : `: ${message.slice(0, LONGEST)}`;
}

function timeOf(time: PendingWork['lastHeartbeatTime']): number {
  return Number(time?.seconds ?? 0) * 1e3 + (time?.nanos ?? 0) / 1e6;
}
