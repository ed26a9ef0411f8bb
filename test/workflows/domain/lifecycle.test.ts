import { describe, expect, it } from '@jest/globals';
import type { Marker } from '../../../workflows/domain/board.ts';
import {
  LIFECYCLE_STATES,
  transition,
  type LifecycleEvent,
  type LifecycleState,
} from '../../../workflows/domain/lifecycle.ts';

const EVENTS: LifecycleEvent[] = [
  'worker.spawned',
  'worker.completion',
  'worker.failure',
  'merge.start',
  'merge.succeeded',
  'merge.out_of_date',
  'merge.conflict',
  'merge.hard_fail',
  'resume.abort',
  'resume.retry',
  'user.full_reset',
];
const UNMERGED = LIFECYCLE_STATES.filter((state) => state !== 'merged');

describe('transition', () => {
  it('knows the thirteen states of the worker lifecycle by their names', () => {
    expect([...LIFECYCLE_STATES].sort()).toEqual([
      'failed',
      'fix_completed',
      'fixing',
      'merge_conflict',
      'merged',
      'merging',
      'needs_fix',
      'needs_merge',
      'needs_multi_resolve',
      'needs_resolve',
      'none',
      'resolved',
      'resolving',
    ]);
  });

  it.each<[LifecycleEvent, LifecycleState, LifecycleState, Marker | undefined]>([
    ['worker.spawned', 'none', 'needs_merge', '='],
    ['merge.start', 'needs_merge', 'merging', undefined],
    ['merge.succeeded', 'merging', 'merged', 'x'],
    ['merge.out_of_date', 'merging', 'needs_merge', undefined],
    ['merge.conflict', 'merging', 'merge_conflict', undefined],
    ['merge.hard_fail', 'merging', 'failed', undefined],
  ])('takes %s from %s to %s', (event, from, to, marker) => {
    expect(transition(from, event)).toEqual(
      marker === undefined ? { state: to } : { state: to, marker },
    );
    for (const other of LIFECYCLE_STATES.filter((state) => state !== from))
      expect(transition(other, event)).toEqual({ state: other });
  });

  it.each<[LifecycleEvent, LifecycleState | undefined, Marker]>([
    ['resume.abort', 'failed', '*'],
    ['worker.failure', 'failed', '*'],
    ['user.full_reset', 'needs_merge', '='],
    ['resume.retry', undefined, '='],
    ['worker.completion', undefined, 'P'],
  ])('takes %s in every state but merged', (event, to, marker) => {
    for (const state of UNMERGED)
      expect(transition(state, event)).toEqual({ state: to ?? state, marker });
  });

  it.each(EVENTS)('stays merged, without a marker, at %s', (event) => {
    expect(transition('merged', event)).toEqual({ state: 'merged' });
  });

  it('gives the marker x to a merge and to nothing else (#119)', () => {
    const marked = LIFECYCLE_STATES.flatMap((state) =>
      EVENTS.filter((event) => transition(state, event).marker === 'x').map((event) => [
        state,
        event,
      ]),
    );
    expect(marked).toEqual([['merging', 'merge.succeeded']]);
  });
});
