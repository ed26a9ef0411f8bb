import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  turnOf,
  withDone,
  withFailed,
  type Coordination,
  type Turn,
} from '../../../activities/built-in/batch-order.ts';

const MINUTES = 60_000;

describe('turnOf', () => {
  it.each<[string, Partial<Coordination>, string, number, Turn]>([
    ['lets the first go on', {}, 'A-1', 0, { kind: 'turn' }],
    ['lets the second wait for the first', {}, 'A-2', 0, { kind: 'wait', for: 'A-1' }],
    ['lets the second go on behind the first', { completed: ['A-1'] }, 'A-2', 0, { kind: 'turn' }],
    ['knows who has merged', { completed: ['A-1'] }, 'A-1', 0, { kind: 'done' }],
    [
      'passes over one that merged out of turn, alone (#134)',
      { completed: ['A-2'] },
      'A-3',
      0,
      { kind: 'wait', for: 'A-1' },
    ],
    [
      'ends with a batch that has failed',
      { status: 'failed', failed: 'A-1' },
      'A-2',
      0,
      { kind: 'lost', reason: 'the batch has failed at A-1' },
    ],
    [
      'does not wait in a batch of others',
      {},
      'B-1',
      0,
      { kind: 'lost', reason: 'the batch does not know it' },
    ],
    ['waits for 29 minutes', {}, 'A-3', 29 * MINUTES, { kind: 'wait', for: 'A-1' }],
    [
      'waits no longer than half an hour',
      {},
      'A-3',
      30 * MINUTES,
      { kind: 'lost', reason: 'A-1 is still not done after half an hour' },
    ],
  ])('%s', (_title, changes, task, waitedMs, expected) => {
    expect(turnOf(aBatch(changes), task, waitedMs)).toEqual(expected);
  });
});

describe('withDone', () => {
  it('adds the task, moves on, and ends the batch behind the last', () => {
    const first = withDone(aBatch(), 'A-1');
    expect(first).toEqual(aBatch({ completed: ['A-1'], current_position: 1 }));
    expect(withDone(first, 'A-1')).toEqual(first);
    const last = withDone(withDone(first, 'A-3'), 'A-2');
    expect(last).toEqual(
      aBatch({ completed: ['A-1', 'A-3', 'A-2'], current_position: 3, status: 'complete' }),
    );
  });

  it('lets everybody have a turn, whatever the order in which they finish (#133)', () => {
    const tasks = ['A-1', 'A-2', 'A-3', 'A-4'];
    fc.assert(
      fc.property(
        fc.shuffledSubarray(tasks, { minLength: 4 }),
        fc.shuffledSubarray(tasks),
        (order, early) => {
          let batch = early.reduce(withDone, aBatch({ order }));
          for (const task of order.filter((id) => !early.includes(id))) {
            const free = order.filter((id) => turnOf(batch, id, 0).kind === 'turn');
            expect(free).toEqual([task]);
            batch = withDone(batch, task);
          }
          expect(batch.status).toBe('complete');
        },
      ),
    );
  });
});

describe('withFailed', () => {
  it('names the first that gave up and ends the batch', () => {
    const failed = withFailed(aBatch(), 'A-2');
    expect(failed).toEqual(aBatch({ status: 'failed', failed: 'A-2' }));
    expect(withFailed(failed, 'A-3')).toEqual(failed);
    expect(withDone(failed, 'A-1')).toMatchObject({ status: 'failed', completed: ['A-1'] });
  });
});

function aBatch(changes: Partial<Coordination> = {}): Coordination {
  return {
    status: 'executing',
    current_position: 0,
    order: ['A-1', 'A-2', 'A-3'],
    completed: [],
    failed: null,
    ...changes,
  };
}
