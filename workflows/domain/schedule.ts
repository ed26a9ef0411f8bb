import type { BoardProblem, Card, Marker, Priority } from './board.ts';
import { analyseDependencies } from './dependencies.ts';
import type { WaitReason } from './wait-reason.ts';

export { describeReason, type WaitReason } from './wait-reason.ts';

export interface ScheduleInput {
  cards: Card[];
  /** Ids in done comments: they count as `x`. */
  archived: string[];
  /** Ids whose main work occupies a worker, whatever their marker says. */
  running: string[];
  maxWorkers: number;
  /** Scheduling events that each ready task has waited. */
  waited: Readonly<Record<string, number>>;
  /** Tasks that may not start, with what is wrong; see `invalidTasks`. */
  invalid?: Readonly<Record<string, string>>;
  /** Ids of tasks that get on by themselves, at work or in the merge train. */
  moving: string[];
}

export interface RankedTask {
  id: string;
  /** 10000 is one step of priority; lower runs first. */
  priority: number;
  terms: { base: number; ageing: number; siblings: number; plan: number; dependents: number };
}

export interface Schedule {
  /** To be started now, best first. */
  start: string[];
  /** Every ready task, best first. */
  ranked: RankedTask[];
  /** Every pending task that does not start now, in the order of the board. */
  waiting: { id: string; why: WaitReason }[];
  cycles: string[][];
  /** Nothing runs and nothing can become ready without a person. */
  finished: boolean;
}

const BASE: Readonly<Record<Priority, number>> = {
  CRITICAL: 0,
  HIGH: 10_000,
  MEDIUM: 20_000,
  LOW: 30_000,
};
const AGEING_BONUS = 8_000;
const AGEING_EVENTS = 7;
const SIBLING_PENALTY = 20_000;
const PLAN_BONUS = 15_000;
const DEPENDENT_BONUS = 7_000;

/** Decides which tasks start now, in which order, and why the others wait. */
export function schedule(input: ScheduleInput): Schedule {
  const running = new Set(input.running);
  const pending = input.cards.filter(({ id, marker }) => marker === ' ' && !running.has(id));
  const { cycles, dependents } = analyseDependencies(pending);
  const obstacles = findObstacles(input, pending, cycles);
  const siblings = countSiblings(input.cards, running);

  const ranked = pending
    .filter(({ id }) => !obstacles.has(id))
    .map((card) =>
      rank(card, {
        waited: input.waited[card.id] ?? 0,
        siblings: siblings.get(prefixOf(card.id)) ?? 0,
        dependents: dependents.get(card.id) ?? 0,
      }),
    )
    .sort((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1));

  const start = ranked
    .slice(0, Math.max(0, input.maxWorkers - running.size))
    .map((task) => task.id);
  const starting = new Set(start);
  const waiting = pending
    .filter(({ id }) => !starting.has(id))
    .map(({ id }) => ({
      id,
      why: obstacles.get(id) ?? { kind: 'pool-full' as const, limit: input.maxWorkers },
    }));
  const finished = ranked.length === 0 && running.size === 0 && input.moving.length === 0;
  return { start, ranked, waiting, cycles, finished };
}

/** Tasks with an error of their own on the board, with the first one: they are not started. */
export function invalidTasks(problems: readonly BoardProblem[]): Record<string, string> {
  const invalid: Record<string, string> = {};
  for (const { severity, task, line, message } of problems)
    if (severity === 'error' && task !== undefined)
      invalid[task] ??= `line ${line} of the board: ${message}`;
  return invalid;
}

/** What keeps each pending task from being ready; ready tasks are not in the map. */
function findObstacles(
  { cards, archived, running, invalid = {} }: ScheduleInput,
  pending: readonly Card[],
  cycles: readonly string[][],
): Map<string, WaitReason> {
  // The line on the board counts where an id is archived too.
  const markers = new Map<string, Marker>(archived.map((id) => [id, 'x']));
  for (const { id, marker } of cards) markers.set(id, marker);
  // A run that has just begun may still show as pending.
  for (const id of running) if (markers.get(id) === ' ') markers.set(id, '=');
  const cycleOf = new Map(cycles.flatMap((members) => members.map((id) => [id, members] as const)));

  const obstacles = new Map<string, WaitReason>();
  for (const { id, dependencies } of pending) {
    const members = cycleOf.get(id);
    const unknown = dependencies.filter((dependency) => !markers.has(dependency));
    const message = invalid[id];
    const unmet = dependencies.flatMap((dependency) => {
      const marker = markers.get(dependency);
      return marker === undefined || marker === 'x' ? [] : [{ id: dependency, marker }];
    });
    if (members) obstacles.set(id, { kind: 'cycle', members });
    else if (unknown.length > 0) obstacles.set(id, { kind: 'unknown-dependency', ids: unknown });
    else if (message !== undefined) obstacles.set(id, { kind: 'invalid', message });
    else if (unmet.length > 0) obstacles.set(id, { kind: 'dependency', on: unmet });
  }
  return obstacles;
}

function rank(
  card: Card,
  counts: { waited: number; siblings: number; dependents: number },
): RankedTask {
  // `0 - n` and not `-n`: minus zero does not survive a payload.
  const terms = {
    base: BASE[card.priority],
    ageing: 0 - AGEING_BONUS * Math.floor(counts.waited / AGEING_EVENTS),
    siblings: Math.floor(Math.sqrt(counts.siblings) * SIBLING_PENALTY),
    plan: card.hasPlan ? -PLAN_BONUS : 0,
    dependents: 0 - DEPENDENT_BONUS * counts.dependents,
  };
  const sum = terms.base + terms.ageing + terms.siblings + terms.plan + terms.dependents;
  return { id: card.id, priority: Math.max(0, sum), terms };
}

/** Tasks in progress, in review or failed, by prefix: related work should not crowd the workers. */
function countSiblings(cards: readonly Card[], running: ReadonlySet<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { id, marker } of cards) {
    if (marker !== '=' && marker !== 'P' && marker !== '*' && !running.has(id)) continue;
    counts.set(prefixOf(id), (counts.get(prefixOf(id)) ?? 0) + 1);
  }
  return counts;
}

function prefixOf(id: string): string {
  return id.slice(0, id.indexOf('-'));
}
