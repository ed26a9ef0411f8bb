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
  /** Calls of registered hooks, name and arguments, before and after the agent. */
  hooks?: { pre: readonly string[]; post: readonly string[] };
  config: Readonly<Record<string, unknown>>;
}

export interface Pipeline {
  name: string;
  steps: readonly Step[];
  resultMappings: ResultMappings;
  costLimitUsd?: number;
}

/** Ids from a step down to one of its inline handlers: `['audit']`, `['audit', 'audit-fix']`. */
export type UnitPath = readonly string[];

/** A step or an inline handler, with its place. */
export interface Unit {
  path: UnitPath;
  step: Step;
}

/** Where a jump leads. */
export type Target = { kind: 'unit'; path: UnitPath } | { kind: 'end' } | { kind: 'abort' };

export const RELATIVE_JUMPS = ['self', 'prev', 'next', 'abort'] as const;

export const DEFAULT_MAPPINGS: ResultMappings = {
  PASS: { status: 'success', exitCode: 0, defaultJump: 'next' },
  FAIL: { status: 'failure', exitCode: 10, defaultJump: 'abort' },
  FIX: { status: 'partial', exitCode: 0, defaultJump: 'prev' },
  SKIP: { status: 'success', exitCode: 0, defaultJump: 'next' },
  UNKNOWN: { status: 'unknown', exitCode: 1, defaultJump: 'self' },
};

const OFF = ['', 'false', '0', 'no', 'off'];

/** Names a unit in records: counters, plans. */
export function unitKey(path: UnitPath): string {
  return path.join('/');
}

/** Every step and inline handler of a pipeline, parents first. */
export function unitsOf(pipeline: Pipeline): Unit[] {
  return pipeline.steps.flatMap((step) => withHandlers({ path: [step.id], step }));
}

/** The unit at a place; undefined when there is none. */
export function findUnit(pipeline: Pipeline, path: UnitPath): Step | undefined {
  const [id, ...inner] = path;
  return inner.reduce<Step | undefined>(
    (parent, child) => parent && inlinesOf(parent).find((step) => step.id === child),
    pipeline.steps.find((step) => step.id === id),
  );
}

/** Resolves a jump. A handler speaks for its parent: its `self` is the parent, its `next` what follows it. */
export function targetOf(pipeline: Pipeline, path: UnitPath, jump: Jump): Target {
  if (jump === 'abort') return { kind: 'abort' };
  if (path.length > 1)
    return jump === 'self'
      ? { kind: 'unit', path: path.slice(0, -1) }
      : targetOf(pipeline, path.slice(0, 1), jump);
  const at = pipeline.steps.findIndex((step) => step.id === path[0]);
  const step =
    jump === 'self'
      ? pipeline.steps[at]
      : jump === 'prev'
        ? pipeline.steps[Math.max(0, at - 1)]
        : jump === 'next'
          ? pipeline.steps[at + 1]
          : pipeline.steps.find(({ id }) => id === jump);
  if (step) return { kind: 'unit', path: [step.id] };
  // Only `next` can lead out of the list; a step that does not exist is no way to finish.
  return jump === 'next' ? { kind: 'end' } : { kind: 'abort' };
}

/** What is known of an agent at a step; its plan says all of it. */
export interface Answers {
  validResults: readonly GateResult[];
  resultMappings: ResultMappings;
  readonly: boolean;
  autoCommit: boolean;
}

/** Results that every agent can end with: it gives up, or it says nothing that counts. */
const ALWAYS: readonly GateResult[] = ['FAIL', 'UNKNOWN'];
/** What a good result becomes when its work must not be committed. */
const REFUSED: GateResult = 'FIX';

/** Whether what the agent leaves is committed. */
export function commitsAfter(
  step: Step,
  { readonly, autoCommit }: Pick<Answers, 'readonly' | 'autoCommit'>,
): boolean {
  return (step.commitAfter || autoCommit) && !(step.readonly || readonly);
}

/** Every result that can come of a step; an agent that is not known can only fail. */
export function possibleResults(step: Step, agent: Answers | undefined): GateResult[] {
  const refused = agent && commitsAfter(step, agent) ? [REFUSED] : [];
  return [...new Set([...(agent?.validResults ?? []), ...refused, ...ALWAYS])];
}

/** What a result means: pipeline over agent over defaults. */
export function mappingOf(
  result: GateResult,
  ofPipeline: ResultMappings,
  ofAgent: ResultMappings = {},
): ResultMapping | undefined {
  return own(ofPipeline, result) ?? own(ofAgent, result) ?? own(DEFAULT_MAPPINGS, result);
}

/** Where a result leads that no inline handler takes; without a meaning it aborts. */
export function jumpAfter(
  pipeline: Pipeline,
  { path, step }: Unit,
  result: GateResult,
  ofAgent?: ResultMappings,
): Jump {
  const handler = own(step.onResult, result);
  if (handler?.kind === 'jump') return handler.to;
  // A handler that says nothing else hands back to its parent, whatever its result.
  if (path.length > 1) return 'self';
  return mappingOf(result, pipeline.resultMappings, ofAgent)?.defaultJump ?? 'abort';
}

/** The `enabled_by` variables of a pipeline that are on (checklist 52). */
export function enabledVariables(
  pipeline: Pipeline,
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  const names = unitsOf(pipeline).flatMap(({ step }) => step.enabledBy ?? []);
  return [...new Set(names)].filter((name) => isOn(own(environment, name)));
}

/** Whether the text of a variable switches something on. */
export function isOn(text: string | undefined): boolean {
  return !OFF.includes((text ?? '').trim().toLowerCase());
}

/** The value under a key that came from a file: `constructor` is an ordinary step id. */
export function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function withHandlers(unit: Unit): Unit[] {
  const inner = inlinesOf(unit.step).map((step) => ({ path: [...unit.path, step.id], step }));
  return [unit, ...inner.flatMap(withHandlers)];
}

function inlinesOf(step: Step): Step[] {
  return Object.values(step.onResult).flatMap((handler) =>
    handler.kind === 'inline' ? [handler.step] : [],
  );
}
