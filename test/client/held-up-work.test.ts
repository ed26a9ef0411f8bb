import { describe, expect, it } from '@jest/globals';
import { heldUpBy, isWorthAsking, type PendingWork } from '../../client/held-up-work.ts';

const work = (differences: Partial<PendingWork> = {}): PendingWork => ({
  activityType: { name: 'runAgent' },
  attempt: 7,
  lastFailure: { message: 'lease.json is\n  no JSON' },
  ...differences,
});
// The server's 64-bit numbers are objects.
const at = (seconds: number) =>
  ({ seconds: BigInt(seconds), nanos: 0 }) as unknown as NonNullable<
    PendingWork['lastHeartbeatTime']
  >;

describe('work that does not come to its end', () => {
  it.each<[string, PendingWork[], string | undefined]>([
    ['is none when nothing is pending', [], undefined],
    ['is none at its first attempt', [work({ attempt: 1 })], undefined],
    ['is none without a failure', [work({ lastFailure: null })], undefined],
    ['tells attempt and reason', [work()], 'tries again (attempt 7): lease.json is no JSON'],
    [
      'is told by what was tried most often',
      [work({ attempt: 2 }), work({ attempt: 9, lastFailure: { message: 'ENOSPC' } })],
      'tries again (attempt 9): ENOSPC',
    ],
    [
      'is told while the last sign of life is older than the failure',
      [work({ lastAttemptCompleteTime: at(20), lastHeartbeatTime: at(10) })],
      'tries again (attempt 7): lease.json is no JSON',
    ],
    [
      'is none after a sign of life that is newer than the failure',
      [work({ lastAttemptCompleteTime: at(20), lastHeartbeatTime: at(21) })],
      undefined,
    ],
    [
      'is named as paused, before all others',
      [work(), work({ paused: true, attempt: 1, lastFailure: null })],
      'runAgent was paused in Temporal and waits to be unpaused there',
    ],
  ])('%s', (_title, pending, text) => {
    expect(heldUpBy(pending)).toBe(text);
  });

  it('is told in a line that has an end', () => {
    const text = heldUpBy([work({ lastFailure: { message: 'x'.repeat(5_000) } })]);
    expect(text?.length).toBeLessThan(600);
  });
});

describe('a task', () => {
  it.each<[string, { changedAt: number; askedAt: number }, boolean]>([
    ['is asked about when it has not moved for 5 s', { changedAt: 5_000, askedAt: 0 }, true],
    ['is left alone when it has just moved', { changedAt: 5_001, askedAt: 0 }, false],
    ['is left alone when it was just asked about', { changedAt: 0, askedAt: 5_001 }, false],
  ])('%s', (_title, times, isAsked) => {
    expect(isWorthAsking(10_000, times)).toBe(isAsked);
  });
});
