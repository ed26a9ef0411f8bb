/** What the members of a batch share: `coordination.json` of the batch. */
export interface Coordination {
  status: 'executing' | 'complete' | 'failed';
  /** Index in the order of the one whose turn it is. */
  current_position: number;
  order: string[];
  completed: string[];
  /** The task that gave up. */
  failed?: string | null;
}

export type Turn =
  | { kind: 'turn' }
  | { kind: 'done' }
  | { kind: 'lost'; reason: string }
  | { kind: 'wait'; for: string };

/** At most this long a task waits for those before it. */
const LONGEST_WAIT_MS = 30 * 60_000;

/** Whether a task may go on. Turns go by who has completed: one that came out of turn moves nobody else. */
export function turnOf(coordination: Coordination, task: string, waitedMs: number): Turn {
  const { status, order, completed, failed } = coordination;
  if (completed.includes(task)) return { kind: 'done' };
  if (status === 'failed')
    return { kind: 'lost', reason: `the batch has failed${failed ? ` at ${failed}` : ''}` };
  if (!order.includes(task)) return { kind: 'lost', reason: 'the batch does not know it' };
  const next = order[positionOf(coordination)];
  if (next === undefined || next === task) return { kind: 'turn' };
  if (waitedMs >= LONGEST_WAIT_MS)
    return { kind: 'lost', reason: `${next} is still not done after half an hour` };
  return { kind: 'wait', for: next };
}

/** The batch after a task has merged; twice is as good as once. */
export function withDone<Known extends Coordination>(coordination: Known, task: string): Known {
  const { completed, order } = coordination;
  const after = {
    ...coordination,
    completed: completed.includes(task) ? completed : [...completed, task],
  };
  const isAll = order.every((id) => after.completed.includes(id));
  return {
    ...after,
    current_position: positionOf(after),
    status: isAll && after.status === 'executing' ? 'complete' : after.status,
  };
}

/** The batch after a task has given up; the first that did stays named. */
export function withFailed<Known extends Coordination>(coordination: Known, task: string): Known {
  const { status, completed } = coordination;
  if (status !== 'executing' || completed.includes(task)) return coordination;
  return { ...coordination, status: 'failed', failed: task };
}

function positionOf({ order, completed }: Coordination): number {
  const open = order.findIndex((id) => !completed.includes(id));
  return open === -1 ? order.length : open;
}
