import type { GateResult, ResultMappings } from './steps.ts';
import type { Usage } from './usage.ts';

/** Modes that an agent's file can name. */
export const AGENT_MODES = ['ralph_loop', 'once', 'live', 'resume'] as const;
/** `built-in` agents are code of ours without a model. */
export type AgentMode = (typeof AGENT_MODES)[number] | 'built-in';

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
  /** For the whole step: all of its sessions together. */
  timeoutSeconds: number;
  /** Iterations between two looks of a supervisor; 0 = nobody looks. */
  supervisorInterval: number;
  /** How often a supervisor may have the loop begin anew. */
  maxRestarts: number;
  /** Commit what the agent leaves, also where the step does not say so. */
  autoCommit: boolean;
  /** Keys of the result that later steps get. */
  outputs: string[];
}

/** What a step learns of the one before it. */
export interface ParentContext {
  stepId: string;
  runId: string;
  sessionId?: string;
  result?: GateResult;
  /** Path of the report, when the parent wrote one. */
  report?: string;
  /** Where the parent left what others want to read. */
  outputDir?: string;
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

export type TurnPurpose = 'work' | 'summary' | 'ask-result' | 'supervise';

/** What a supervisor can decide. */
export const DECISIONS = ['CONTINUE', 'STOP', 'RESTART'] as const;

/** What a supervisor wants of the loop it looked at. */
export interface SupervisorDecision {
  kind: (typeof DECISIONS)[number];
  /** Word for word what the next iteration is told; empty when there is nothing to tell. */
  guidance: string;
}

/** One session of an agent, started or continued once. */
export interface AgentTurn {
  place: RunPlace;
  /** Unique within the worker folder and the same on every retry: names the turn's lease and record. */
  key: string;
  stepId: string;
  runId: string;
  agent: string;
  /** `work` does the job, `summary` and `ask-result` continue its session, `supervise` looks at it from a new one. */
  purpose: TurnPurpose;
  /** From 0. */
  iteration: number;
  /** How often this step (or inline handler) was started in this run, from 1. */
  visit: number;
  sessionId: string;
  /** The session exists already: continue it instead of creating it. */
  continues: boolean;
  parent?: ParentContext;
  nextStepId?: string;
  limits: {
    maxTurns: number;
    timeoutSeconds: number;
    maxIterations: number;
    /** What a supervisor is told; others need not know. */
    maxRestarts?: number;
  };
  /** The agent's valid results, in the order of its definition. */
  validResults: GateResult[];
  readonly: boolean;
  /** What a supervisor or a person wants the agent to know, word for word. */
  guidance?: string;
  /** How often a supervisor had the loop begin anew. */
  restarts: number;
  /** What earlier steps handed on by their `outputs`, by key. */
  outputs: Readonly<Record<string, string>>;
  /** Branch of the task, and its pull request when there is one. */
  branch: string;
  pullRequestUrl?: string;
  /** Commit that a readonly step is put back to. */
  checkpoint?: string;
  /** `WIGGUM_*` variables of the command that started the run: the same on every host. */
  environment: Readonly<Record<string, string>>;
  backend: string;
  /** Scenario file of the `script` backend. */
  script?: string;
}

/** How a session ended. Values, never exceptions: only broken infrastructure throws. */
export type AgentOutcome = (
  | { kind: 'ok' }
  /** The session used up its turns: an ordinary iteration (checklist 197). */
  | { kind: 'max-turns' }
  | { kind: 'agent-failed'; reason: string }
  | { kind: 'limit'; resetsAt?: string; reason: string }
  /** The model could not be reached or had too much to do. */
  | { kind: 'transient'; reason: string }
  /** The session that was to be continued is not known any more. */
  | { kind: 'session-lost'; reason: string }
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
  /** What a supervisor decided; only after `supervise`. */
  decision?: SupervisorDecision;
  /** Path of the session's log. */
  log: string;
  sessionId: string;
  usage: Usage;
  startedAt: string;
  endedAt: string;
};
