import type { GateResult, ResultMappings } from './steps.ts';

export const AGENT_MODES = ['ralph_loop', 'once', 'live', 'resume'] as const;
export type AgentMode = (typeof AGENT_MODES)[number];

/** What the workflow must know of an agent to drive it; prompts stay in files. */
export interface AgentPlan {
  type: string;
  mode: AgentMode;
  readonly: boolean;
  /** What ends a loop: the result tag, or a file in the stated condition. */
  completion: 'result-tag' | 'status-file' | 'file-exists';
  validResults: GateResult[];
  resultMappings: ResultMappings;
  maxIterations: number;
  maxTurns: number;
  timeoutSeconds: number;
}

/** What a step learns of the one before it. */
export interface ParentContext {
  stepId: string;
  runId: string;
  sessionId?: string;
  result?: GateResult;
  /** Path of the report, when the parent wrote one. */
  report?: string;
}

/** Where a task run lives on its host. */
export interface RunPlace {
  projectDir: string;
  /** `.ralph` of the project. */
  ralphDir: string;
  /** `.ralph/workers/worker-<ID>-<epoch>` */
  workerDir: string;
  /** `<workerDir>/workspace` */
  workspace: string;
  taskId: string;
  epoch: number;
}

/** One session of an agent, started or continued once. */
export interface AgentTurn {
  place: RunPlace;
  /** Unique within the worker folder and the same on every retry: names the turn's lease and record. */
  key: string;
  stepId: string;
  runId: string;
  agent: string;
  /** `work` does the job, `summary` and `ask-result` continue the session that did it. */
  purpose: 'work' | 'summary' | 'ask-result';
  /** From 0. */
  iteration: number;
  /** How often this step (or inline handler) was started in this run, from 1. */
  visit: number;
  sessionId: string;
  /** The session exists already: continue it instead of creating it. */
  continues: boolean;
  parent?: ParentContext;
  nextStepId?: string;
  limits: { maxTurns: number; timeoutSeconds: number; maxIterations: number };
  /** The agent's valid results, in the order of its definition. */
  validResults: GateResult[];
  backend: string;
  /** Scenario file of the `script` backend. */
  script?: string;
}

/** Tokens, turns, time and money of one session. */
export interface Usage {
  turns: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
  seconds: number;
}

/** How a session ended. Values, never exceptions: only broken infrastructure throws. */
export type AgentOutcome = (
  | { kind: 'ok' }
  /** The session used up its turns: an ordinary iteration (checklist 197). */
  | { kind: 'max-turns' }
  | { kind: 'agent-failed'; reason: string }
  | { kind: 'limit'; resetsAt?: string; reason: string }
  | { kind: 'stalled'; reason: string }
  | { kind: 'timeout'; reason: string }
  | { kind: 'auth'; reason: string }
  | { kind: 'config'; reason: string }
) & {
  /** Last valid result tag in the model's own text. */
  result?: GateResult;
  /** Whether the agent's completion check holds now. */
  complete: boolean;
  /** Path of the report block taken from the model's text, when there was one. */
  report?: string;
  /** Path of the session's log. */
  log: string;
  sessionId: string;
  usage: Usage;
  startedAt: string;
  endedAt: string;
};
