import {
  defaultJump,
  findUnit,
  own,
  targetOf,
  unitKey,
  unitsOf,
  type GateResult,
  type Jump,
  type Pipeline,
  type ResultMappings,
  type Target,
  type Unit,
} from './steps.ts';

/** What agents may answer, by type; an agent that is not there can only fail. */
export type AgentAnswers = Readonly<
  Record<string, { validResults: readonly GateResult[]; resultMappings: ResultMappings }>
>;

/** Results that every agent can end with: it gives up, or it says nothing that counts. */
const ALWAYS: readonly GateResult[] = ['FAIL', 'UNKNOWN'];

/**
 * Circles in which a pipeline could run for ever, as unit keys (checklist 51). Every unit with a `max` is taken
 * as used up, so that only its `on_max` is left: a circle that still holds a unit without `max` never ends.
 */
export function endlessCircles(pipeline: Pipeline, agents: AgentAnswers): string[][] {
  const units = unitsOf(pipeline);
  const roads = new Map(
    units.map((unit) => [
      unitKey(unit.path),
      unit.step.max > 0 ? onMaxRoads(pipeline, unit) : resultRoads(pipeline, agents, unit),
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
export function unreachableSteps(pipeline: Pipeline, agents: AgentAnswers): string[] {
  const [first] = pipeline.steps;
  if (!first) return [];
  const roads = new Map(
    unitsOf(pipeline).map((unit) => [
      unitKey(unit.path),
      [
        ...resultRoads(pipeline, agents, unit),
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

function resultRoads(pipeline: Pipeline, agents: AgentAnswers, unit: Unit): string[] {
  const { path, step } = unit;
  const valid = own(agents, step.agent)?.validResults ?? [];
  const results = new Set([...valid, ...ALWAYS, ...Object.keys(step.onResult)]);
  return [...results].flatMap((result) => {
    const handler = own(step.onResult, result);
    const inline = handler?.kind === 'inline' ? handler.step : undefined;
    const into = inline ? [unitKey([...path, inline.id])] : [];
    // Switched off, a handler is as good as none.
    if (inline && inline.enabledBy === undefined) return into;
    const jump =
      handler?.kind === 'jump' ? handler.to : unhandledJump(pipeline, agents, unit, result);
    const on = jump === undefined ? [] : landings(pipeline, targetOf(pipeline, path, jump));
    return [...into, ...on];
  });
}

function unhandledJump(
  pipeline: Pipeline,
  agents: AgentAnswers,
  { path, step }: Unit,
  result: GateResult,
): Jump | undefined {
  if (path.length > 1) return 'self';
  const jump = defaultJump(pipeline, own(agents, step.agent)?.resultMappings, result);
  // Three times in a row and UNKNOWN is a FAIL: this repetition ends by itself.
  return result === 'UNKNOWN' && jump === 'self' ? undefined : jump;
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
