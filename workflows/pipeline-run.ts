import type { ParentContext } from './domain/agent.ts';
import type { GateResult } from './domain/steps.ts';
import type { SweepSettings } from './domain/sweep.ts';
import type { PreparedTask, StepRecord } from './domain/task.ts';
import type { Usage } from './domain/usage.ts';
import type { Steering } from './steering.ts';

/** What the steps of one pipeline share. */
export interface PipelineRun {
  hostId: string;
  title: string;
  prepared: PreparedTask;
  settings: SweepSettings;
  from?: string;
  /** Steps of this run so far; grows as the pipeline moves. */
  records: StepRecord[];
  /** What was begun in this task run so far, also what a restart cut off. */
  begun: Begun;
  steering: Steering;
  pullRequestUrl: () => string | undefined;
  /** Merges the task's work in its turn, for pipelines that do so themselves. */
  merge: () => Promise<{ result: GateResult; detail?: string }>;
  progress: (now: PipelineProgress) => void;
}

export interface Begun {
  /** The second that the last step began at: no two steps of a task share one. */
  lastEpoch: number;
  /** Starts of each step. */
  visits: Record<string, number>;
  /** What later steps may know of each step, by its id. */
  memory: Record<string, ParentContext>;
  /** What steps handed on by their `outputs`, until another one overwrites it. */
  outputs: Record<string, string>;
}

export interface PipelineProgress {
  step: string;
  visit: number;
  iteration?: number;
  sessionId?: string;
  /** What the step has used so far. */
  usage?: Usage;
  doing: string;
}
