import type { RunPlace } from '../../workflows/domain/agent.ts';
import type { GateResult } from '../../workflows/domain/steps.ts';

/** A step of a pipeline whose agent is code of ours. */
export interface BuiltInOrder {
  place: RunPlace;
  agent: string;
  /** The same on every retry, as are step and epoch: keys and dates of what is done come from them. */
  runId: string;
  step: string;
  /** Second in which the step began. */
  epoch: number;
  /** The branch that the task merges into. */
  target: string;
  title: string;
}

/** Does the work of one built-in agent. */
export type BuiltIn = (order: BuiltInOrder) => Promise<BuiltInEnd | BuiltInWait>;

/** It is not its time yet: whoever asked asks again. */
export interface BuiltInWait {
  waitsFor: string;
  lookAgainSeconds: number;
}

export interface BuiltInEnd {
  result: GateResult;
  /** Why it is no PASS. */
  detail?: string;
  /** A markdown file. */
  report?: string;
}
