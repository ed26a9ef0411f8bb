import type { Marker } from './board.ts';

/** Why a pending task does not start. */
export type WaitReason =
  | { kind: 'dependency'; on: { id: string; marker: Marker }[] }
  | { kind: 'pool-full'; limit: number }
  | { kind: 'cycle'; members: string[] }
  | { kind: 'unknown-dependency'; ids: string[] }
  | { kind: 'invalid'; message: string };

const NAMED_AT_MOST = 3;

const STANDING: Readonly<Record<Marker, string>> = {
  ' ': 'has not started ([ ])',
  '=': 'is in progress ([=])',
  P: 'waits for its merge ([P])',
  x: 'is done ([x])',
  '*': 'failed ([*])',
  N: 'is not planned ([N])',
};

/** Says in one line for what a task waits. */
export function describeReason(why: WaitReason): string {
  switch (why.kind) {
    case 'dependency':
      return `waits for ${listed(why.on.map(({ id, marker }) => `${id}, which ${STANDING[marker]}`))}`;
    case 'pool-full':
      return why.limit === 1
        ? 'waits for the only worker, which is busy'
        : `waits for a free worker: all ${why.limit} are busy`;
    case 'cycle':
      return why.members.length === 1
        ? 'never starts: it depends on itself'
        : `never starts: ${listed(why.members)} depend on each other`;
    case 'unknown-dependency':
      return `never starts: the board has no valid task ${listed(why.ids)}, on which it depends`;
    case 'invalid':
      return `cannot start: ${why.message}`;
  }
}

/** Long lists are cut: the line must stay readable on a board of thousands. */
function listed(parts: string[]): string {
  const named = parts.slice(0, NAMED_AT_MOST);
  const more = parts.length - named.length;
  if (more > 0) return `${named.join(', ')} and ${more} more`;
  const last = named.pop() ?? '';
  return named.length === 0 ? last : `${named.join(', ')} and ${last}`;
}
