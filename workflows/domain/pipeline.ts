import { WiggumError } from './errors.ts';
import {
  findUnit,
  jumpAfter,
  own,
  targetOf,
  unitKey,
  unitsOf,
  type GateResult,
  type Jump,
  type Pipeline,
  type ResultMappings,
  type Step,
  type UnitPath,
} from './steps.ts';

interface Counters {
  /** Starts of each unit so far, by its key. */
  visits: Readonly<Record<string, number>>;
  /** How often a step gave the same result in a row, by its id. */
  repeats: Readonly<Record<string, { result: GateResult; times: number }>>;
}

/** Where a pipeline stands: plain JSON, with names in place of numbers, because histories carry it. */
export type PipelineState =
  | ({ kind: 'at'; path: UnitPath } & Counters)
  | { kind: 'aborted'; path: UnitPath; why: 'result' | 'exhausted'; result?: GateResult }
  | { kind: 'completed' };

export type PipelinePosition = Extract<PipelineState, { kind: 'at' }>;

export interface PipelineContext {
  /** `enabled_by` variables that are on. */
  enabled: readonly string[];
  /** The agents' own result mappings, by agent type. */
  mappings: Readonly<Record<string, ResultMappings>>;
}

/** Start point that means: all steps are done. */
const FINALIZATION = 'finalization';
const MAX_REPEATS = 3;
const ORDINARY: readonly GateResult[] = ['PASS', 'FAIL', 'SKIP'];

/** Enters a pipeline at its first step or at a named one. */
export function begin(
  pipeline: Pipeline,
  context: PipelineContext,
  from: string | undefined = pipeline.steps[0]?.id,
): PipelineState {
  const fresh: Counters = { visits: {}, repeats: {} };
  if (from !== undefined && findUnit(pipeline, [from]))
    return follow(pipeline, context, fresh, { path: [from], jump: 'self' });
  if (from === FINALIZATION) return { kind: 'completed' };
  const known = pipeline.steps.map((step) => step.id).join(', ');
  throw new WiggumError(
    'PIPELINE_INVALID',
    `pipeline ${pipeline.name} has no step "${from}"; its steps are ${known}`,
  );
}

/** Decides what follows one gate result. No clock, no effects: a replay takes the same road. */
export function advance(
  pipeline: Pipeline,
  context: PipelineContext,
  state: PipelineState,
  result: GateResult,
): PipelineState {
  if (state.kind !== 'at') return state;
  const { path } = state;
  const unit = unitAt(pipeline, state);
  const judged = judge(state, result);
  const counters = { visits: state.visits, repeats: countRepeat(state, judged) };
  const handler = inlineOf(unit, judged, context);
  if (handler) return enter(pipeline, context, counters, [...path, handler.id], { result: judged });
  const ofAgent = own(context.mappings, unit.agent);
  const jump = jumpAfter(pipeline, { path, step: unit }, judged, ofAgent);
  return follow(pipeline, context, counters, { path, jump, result: judged });
}

/** A handler that is switched off is as good as none: what it would repair must not pass for repaired. */
function inlineOf(unit: Step, result: GateResult, { enabled }: PipelineContext): Step | undefined {
  const handler = own(unit.onResult, result);
  if (handler?.kind !== 'inline') return undefined;
  const { enabledBy } = handler.step;
  return enabledBy === undefined || enabled.includes(enabledBy) ? handler.step : undefined;
}

/** The result that counts: the third same one in a row of a step becomes FAIL (checklist 55, 82). */
export function judge(state: PipelinePosition, result: GateResult): GateResult {
  if (ORDINARY.includes(result)) return result;
  const before = own(state.repeats, unitKey(state.path));
  const times = before?.result === result ? before.times + 1 : 1;
  return times >= MAX_REPEATS ? 'FAIL' : result;
}

/** The step or inline handler that is to run now. */
export function unitAt(pipeline: Pipeline, state: PipelinePosition): Step {
  const unit = findUnit(pipeline, state.path);
  if (unit) return unit;
  const place = state.path.join(' › ');
  throw new WiggumError('PIPELINE_INVALID', `pipeline ${pipeline.name} has no step ${place}`);
}

/** The step after this one in the list, whatever the result will be; undefined after the last. */
export function nextStepId(pipeline: Pipeline, state: PipelinePosition): string | undefined {
  const target = targetOf(pipeline, state.path.slice(0, 1), 'next');
  return target.kind === 'unit' ? target.path[0] : undefined;
}

/** A jump that is under way: where it starts, and the result that caused it. */
interface Leap {
  path: UnitPath;
  jump: Jump;
  result?: GateResult;
  /** Keys of used-up units whose `on_max` was taken since a unit last ran. */
  passed?: readonly string[];
}

function follow(
  pipeline: Pipeline,
  context: PipelineContext,
  counters: Counters,
  leap: Leap,
): PipelineState {
  const target = targetOf(pipeline, leap.path, leap.jump);
  switch (target.kind) {
    case 'end':
      return { kind: 'completed' };
    case 'abort':
      return aborted(leap.path, leap.passed?.length ? 'exhausted' : 'result', leap.result);
    case 'unit':
      return enter(pipeline, context, counters, target.path, leap);
  }
}

/** Starts a unit, or goes where its switch or its `on_max` says. */
function enter(
  pipeline: Pipeline,
  context: PipelineContext,
  counters: Counters,
  path: UnitPath,
  { result, passed = [] }: Pick<Leap, 'result' | 'passed'>,
): PipelineState {
  const unit = unitAt(pipeline, { kind: 'at', path, ...counters });
  const because = result === undefined ? {} : { result };
  if (unit.enabledBy !== undefined && !context.enabled.includes(unit.enabledBy))
    return follow(pipeline, context, counters, { path, jump: 'next', passed, ...because });
  const key = unitKey(path);
  const visits = own(counters.visits, key) ?? 0;
  if (visits < (unit.max || endlessVisits(pipeline)))
    return { kind: 'at', path, ...counters, visits: { ...counters.visits, [key]: visits + 1 } };
  // A round of used-up units would spin for ever (checklist 48).
  if (unit.max === 0 || passed.includes(key)) return aborted(path, 'exhausted', result);
  return follow(pipeline, context, counters, {
    path,
    jump: unit.onMax,
    passed: [...passed, key],
    ...because,
  });
}

/**
 * The most visits that a step without `max` can get in a pipeline that was proven to end: one stay between
 * two bounded visits. What escapes the breaker, refused commits and no answer by turns, stops here.
 */
function endlessVisits(pipeline: Pipeline): number {
  const bounded = unitsOf(pipeline).reduce((sum, { step }) => sum + step.max, 0);
  return MAX_REPEATS * (1 + bounded);
}

function countRepeat(state: PipelinePosition, judged: GateResult): Counters['repeats'] {
  const [step = ''] = state.path;
  const before = own(state.repeats, step);
  const others = Object.entries(state.repeats).filter(([id]) => id !== step);
  // A finished inline handler has changed something: its step may say the same again.
  if (state.path.length > 1 || ORDINARY.includes(judged)) return Object.fromEntries(others);
  const times = before?.result === judged ? before.times + 1 : 1;
  return Object.fromEntries([...others, [step, { result: judged, times }]]);
}

function aborted(
  path: UnitPath,
  why: 'result' | 'exhausted',
  result: GateResult | undefined,
): PipelineState {
  return { kind: 'aborted', path, why, ...(result !== undefined && { result }) };
}
