import {
  DEFAULT_MAPPINGS,
  findUnit,
  jumpAfter,
  mappingOf,
  own,
  possibleResults,
  targetOf,
  unitKey,
  unitsOf,
  type Answers,
  type GateResult,
  type Pipeline,
  type Step,
  type Target,
  type Unit,
} from './steps.ts';

/** What the agent of a step or handler may answer there; one that is not known can only fail. */
export type AnswersAt = (step: Step) => Answers | undefined;

/**
 * Circles in which a pipeline could run for ever, as unit keys (checklist 51). Every unit with a `max` is taken
 * as used up, so that only its `on_max` is left: a circle that still holds a unit without `max` never ends.
 */
export function endlessCircles(pipeline: Pipeline, answersAt: AnswersAt): string[][] {
  const units = unitsOf(pipeline);
  const roads = new Map(
    units.map((unit) => [
      unitKey(unit.path),
      unit.step.max > 0
        ? onMaxRoads(pipeline, unit)
        : resultRoads(pipeline, answersAt, unit, 'for-ever'),
    ]),
  );
  const circles = new Map<string, string[]>();
  for (const { path, step } of units) {
    const circle = step.max === 0 ? shortestCircle(roads, unitKey(path)) : undefined;
    const members = circle?.toSorted().join(' ') ?? '';
    if (circle && !circles.has(members)) circles.set(members, circle);
  }
  return [...circles.values()];
}

/** Steps that no result can lead to from the first one. */
export function unreachableSteps(pipeline: Pipeline, answersAt: AnswersAt): string[] {
  const [first] = pipeline.steps;
  if (!first) return [];
  const roads = new Map(
    unitsOf(pipeline).map((unit) => [
      unitKey(unit.path),
      [
        ...resultRoads(pipeline, answersAt, unit, 'all'),
        ...(unit.step.max > 0 ? onMaxRoads(pipeline, unit) : []),
      ],
    ]),
  );
  const seen = new Set(landings(pipeline, { kind: 'unit', path: [first.id] }));
  for (const key of seen) for (const next of roads.get(key) ?? []) seen.add(next);
  return pipeline.steps.map((step) => step.id).filter((id) => !seen.has(id));
}

function onMaxRoads(pipeline: Pipeline, { path, step }: Unit): string[] {
  return landings(pipeline, targetOf(pipeline, path, step.onMax));
}

/** Where results lead: all that can come, or only those that may come for ever. */
function resultRoads(
  pipeline: Pipeline,
  answersAt: AnswersAt,
  unit: Unit,
  which: 'all' | 'for-ever',
): string[] {
  const { path, step } = unit;
  const agent = answersAt(step);
  const results = new Set([...possibleResults(step, agent), ...Object.keys(step.onResult)]);
  return [...results].flatMap((result) => {
    const handler = own(step.onResult, result);
    const inline = handler?.kind === 'inline' ? handler.step : undefined;
    const into = inline ? [unitKey([...path, inline.id])] : [];
    // Switched off, a handler is as good as none.
    if (inline && inline.enabledBy === undefined) return into;
    if (which === 'for-ever' && handler?.kind !== 'jump' && isBroken(pipeline, unit, agent, result))
      return into;
    const jump = jumpAfter(pipeline, unit, result, agent?.resultMappings);
    return [...into, ...landings(pipeline, targetOf(pipeline, path, jump))];
  });
}

/**
 * Whether the breaker ends the repetition of a result that nobody handles: the third UNKNOWN in a row is a FAIL,
 * and so is the third commit in a row that is refused, where no file says what FIX means.
 */
function isBroken(
  { resultMappings }: Pipeline,
  { path }: Unit,
  agent: Answers | undefined,
  result: GateResult,
): boolean {
  if (path.length > 1) return false;
  const mapping = mappingOf(result, resultMappings, agent?.resultMappings);
  if (result === 'UNKNOWN') return mapping?.defaultJump === 'self';
  return !agent?.validResults.includes(result) && mapping === DEFAULT_MAPPINGS['FIX'];
}

/** A step that can be switched off also lets its visitors through to what follows it. */
function landings(pipeline: Pipeline, target: Target): string[] {
  if (target.kind !== 'unit') return [];
  const { path } = target;
  const through =
    findUnit(pipeline, path)?.enabledBy === undefined
      ? []
      : landings(pipeline, targetOf(pipeline, path, 'next'));
  return [unitKey(path), ...through];
}

function shortestCircle(
  roads: ReadonlyMap<string, readonly string[]>,
  from: string,
): string[] | undefined {
  const ways: string[][] = [[from]];
  const seen = new Set<string>();
  for (const way of ways)
    for (const next of roads.get(way.at(-1) ?? '') ?? []) {
      if (next === from) return way;
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  return undefined;
}
