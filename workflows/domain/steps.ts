/** A step id of the pipeline, or one of the four relative targets. */
export type Jump = 'self' | 'prev' | 'next' | 'abort' | (string & {});

/** PASS, FAIL, FIX, SKIP, UNKNOWN, or another name that the pipeline maps or handles. */
export type GateResult = string;

export interface ResultMapping {
  status: 'success' | 'failure' | 'partial' | 'unknown';
  exitCode: number;
  defaultJump: Jump;
}

export type ResultMappings = Readonly<Record<GateResult, ResultMapping>>;

export type Handler = { kind: 'jump'; to: Jump } | { kind: 'inline'; step: Step };

/** One place in a pipeline. An inline handler is a step too; its jumps are resolved at its parent. */
export interface Step {
  id: string;
  agent: string;
  /** Visits allowed in one run; 0 = no limit. */
  max: number;
  onMax: Jump;
  onResult: Readonly<Record<GateResult, Handler>>;
  readonly: boolean;
  commitAfter: boolean;
  /** The step runs only when this variable is on (checklist 52). */
  enabledBy?: string;
  timeoutSeconds?: number;
  config: Readonly<Record<string, unknown>>;
}

export interface Pipeline {
  name: string;
  steps: readonly Step[];
  resultMappings: ResultMappings;
  costLimitUsd?: number;
}

export const DEFAULT_MAPPINGS: ResultMappings = {
  PASS: { status: 'success', exitCode: 0, defaultJump: 'next' },
  FAIL: { status: 'failure', exitCode: 10, defaultJump: 'abort' },
  FIX: { status: 'partial', exitCode: 0, defaultJump: 'prev' },
  SKIP: { status: 'success', exitCode: 0, defaultJump: 'next' },
  UNKNOWN: { status: 'unknown', exitCode: 1, defaultJump: 'self' },
};
