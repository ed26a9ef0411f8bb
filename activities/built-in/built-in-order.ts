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

/** Does the work of one built-in agent; `says` tells whoever looks what it is waiting for. */
export type BuiltIn = (
  order: BuiltInOrder,
  says: (details: Record<string, string>) => void,
) => Promise<BuiltInEnd>;

export interface BuiltInEnd {
  result: GateResult;
  /** Why it is no PASS. */
  detail?: string;
  /** A markdown file. */
  report?: string;
}
