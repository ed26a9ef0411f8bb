import type { RunPlace } from './agent.ts';

/** A task's turn in the merge train of its target branch. */
export interface MergeRequest {
  taskWorkflowId: string;
  place: RunPlace;
  pullRequest: number;
  title: string;
  target: string;
  /** Command lines that must pass after a rebase. */
  checks: string[];
}

export type MergeOutcome =
  | { kind: 'merged'; commit: string }
  /** Still in the train: says why it does not move. */
  | { kind: 'waits'; reason: string }
  | { kind: 'conflict'; files: string[] }
  | { kind: 'failed'; reason: string };
