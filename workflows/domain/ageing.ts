import type { Schedule } from './schedule.ts';

/** How long ready tasks have waited, counted in scheduling events. */
export interface Ageing {
  /** One entry for each task that was ready and did not start. */
  waited: Record<string, number>;
  /** Tasks that were pending and not ready. */
  blocked: string[];
}

export const NOTHING_WAITED: Ageing = { waited: {}, blocked: [] };

/**
 * Counts one scheduling event for each ready task, if there was one: the ready or the blocked tasks
 * are others, a run starts, a run ended. Reading an equal board adds nothing. A task that starts, or
 * is no longer ready, falls out.
 */
export function nextWaited(
  before: Ageing,
  seen: { schedule: Pick<Schedule, 'ranked' | 'start' | 'waiting'>; runEnded: boolean },
): Ageing {
  const { ranked, start, waiting } = seen.schedule;
  const blocked = waiting.filter(({ why }) => why.kind !== 'pool-full').map(({ id }) => id);
  const ready = ranked.map(({ id }) => id);
  const isEvent =
    seen.runEnded ||
    start.length > 0 ||
    !haveSameMembers(Object.keys(before.waited), ready) ||
    !haveSameMembers(before.blocked, blocked);

  const starting = new Set(start);
  const waited: Record<string, number> = {};
  for (const id of ready)
    if (!starting.has(id)) waited[id] = (before.waited[id] ?? 0) + (isEvent ? 1 : 0);
  return { waited, blocked };
}

function haveSameMembers(before: readonly string[], now: readonly string[]): boolean {
  const known = new Set(before);
  return known.size === now.length && now.every((id) => known.has(id));
}
