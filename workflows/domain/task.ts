import type { AgentPlan, RunPlace } from './agent.ts';
import type { LifecycleState } from './lifecycle.ts';
import type { GateResult, Pipeline } from './steps.ts';
import type { Usage } from './usage.ts';

/** What a task run needs before its first step, read once from files. */
export interface PreparedTask {
  place: RunPlace;
  branch: string;
  base: string;
  target: string;
  pipeline: Pipeline;
  /** How each agent of the pipeline is driven, by the path of its step: `audit`, `audit/audit-fix`. */
  plans: Record<string, AgentPlan>;
  /** `enabled_by` variables that are on. */
  enabled: string[];
  /** Command lines of `.ralph/config.json` that must pass before a pull request and after a rebase. */
  checks: string[];
  /** Command lines of `.ralph/config.json` that steps may call by name before and after their agent. */
  hooks: Record<string, string[]>;
}

/** One finished visit of a step, with what it used. */
export interface StepRecord extends Usage {
  step: string;
  agent: string;
  runId: string;
  visit: number;
  result: GateResult;
  iterations: number;
  startedAt: string;
  endedAt: string;
}

/** Where a task run stands, for people. */
export interface TaskStatus extends Usage {
  task: string;
  title: string;
  epoch: number;
  state: LifecycleState;
  step?: string;
  iteration?: number;
  visit?: number;
  /** Why nothing moves at this moment, or what is being done. */
  why: string;
  needsHuman: boolean;
  startedAt: string;
  workerDir?: string;
  branch?: string;
  pullRequest?: number;
  steps: StepRecord[];
  /** It failed because an agent used up its iterations: an outcome of its own. */
  outOfIterations?: boolean;
  /** What holds a merge up that was asked for, and how often the train has found it so. */
  mergeWaits?: { reason: string; times: number };
  /** Session of the agent that runs or ran last. */
  sessionId?: string;
}

export type TaskResult =
  | { kind: 'merged'; commit: string; costUsd: number }
  | { kind: 'failed'; reason: string; costUsd: number };

/** The finalisation gate (checklist 120): undefined when the work may become a pull request. */
export function finalFault(input: {
  openItems: string[];
  failedItems: string[];
  steps: readonly StepRecord[];
  stepIds: readonly string[];
}): string | undefined {
  const last = (step: string) => input.steps.findLast((record) => record.step === step)?.result;
  const some = (items: string[]) =>
    items.slice(0, 3).join('; ') + (items.length > 3 ? `; and ${items.length - 3} more` : '');
  if (input.failedItems.length > 0) return `failed checklist items: ${some(input.failedItems)}`;
  if (input.openItems.length > 0) return `open checklist items: ${some(input.openItems)}`;
  const validation = last('validation');
  if (validation === 'FAIL') return 'validation ended with FAIL';
  if (input.stepIds.includes('validation') && (!validation || validation === 'UNKNOWN'))
    return 'validation-missing: the validation step gave no valid result';
  const test = last('test');
  if (test === 'FIX' || test === 'FAIL') return `test ended with ${test}`;
  return undefined;
}
