import type { Marker } from './board.ts';

/** States of a task run's life (the worker lifecycle); the whole table as data comes with its own issue. */
export const LIFECYCLE_STATES = [
  'none',
  'needs_fix',
  'needs_merge',
  'merge_conflict',
  'needs_resolve',
  'needs_multi_resolve',
  'fixing',
  'merging',
  'resolving',
  'fix_completed',
  'resolved',
  'merged',
  'failed',
] as const;
export type LifecycleState = (typeof LIFECYCLE_STATES)[number];

export type LifecycleEvent =
  | 'worker.spawned'
  | 'worker.completion'
  | 'worker.failure'
  | 'merge.start'
  | 'merge.succeeded'
  | 'merge.out_of_date'
  | 'merge.conflict'
  | 'merge.hard_fail'
  | 'resume.abort'
  | 'resume.retry'
  | 'user.full_reset';

interface Transition {
  event: LifecycleEvent;
  from: LifecycleState | '*';
  to: LifecycleState | 'unchanged';
  marker?: Marker;
}

const TRANSITIONS: readonly Transition[] = [
  { event: 'worker.spawned', from: 'none', to: 'needs_merge', marker: '=' },
  { event: 'merge.start', from: 'needs_merge', to: 'merging' },
  { event: 'merge.succeeded', from: 'merging', to: 'merged', marker: 'x' },
  { event: 'merge.conflict', from: 'merging', to: 'merge_conflict' },
  { event: 'merge.out_of_date', from: 'merging', to: 'needs_merge' },
  { event: 'merge.hard_fail', from: 'merging', to: 'failed' },
  { event: 'resume.abort', from: '*', to: 'failed', marker: '*' },
  { event: 'resume.retry', from: '*', to: 'unchanged', marker: '=' },
  { event: 'worker.completion', from: '*', to: 'unchanged', marker: 'P' },
  { event: 'worker.failure', from: '*', to: 'failed', marker: '*' },
  { event: 'user.full_reset', from: '*', to: 'needs_merge', marker: '=' },
];

/** What an event does to a task run; nothing when no line matches, and nothing ever leaves `merged`. */
export function transition(
  state: LifecycleState,
  event: LifecycleEvent,
): { state: LifecycleState; marker?: Marker } {
  if (state === 'merged') return { state };
  const line = TRANSITIONS.find(
    (candidate) =>
      candidate.event === event && (candidate.from === state || candidate.from === '*'),
  );
  if (!line) return { state };
  const to = line.to === 'unchanged' ? state : line.to;
  return line.marker === undefined ? { state: to } : { state: to, marker: line.marker };
}
