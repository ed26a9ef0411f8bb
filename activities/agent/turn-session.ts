import type { AgentDefinition } from '../../config/agent-definition.ts';
import type { AgentTurn } from '../../workflows/domain/agent.ts';
import type { FinishedTurn } from './finished-record.ts';
import type { EarlierAttempt } from './lease.ts';
import { liveSession, type LiveSessionLook } from './live-session.ts';
import type { SessionState } from './prompt.ts';
import { notedSession } from './session-id.ts';

/** The session that an attempt speaks to. */
export interface TurnSession {
  id: string;
  state: SessionState;
}

export interface SessionLook extends LiveSessionLook {
  /** Attempts at the same turn before this one. */
  earlier: readonly EarlierAttempt[];
  /** Turns of the task run that have ended. */
  finished: readonly FinishedTurn[];
}

/** Finds the session of a turn: the workflow's, or the one that a live agent has. */
export async function sessionOfTurn(
  turn: AgentTurn,
  definition: AgentDefinition,
  look: SessionLook,
): Promise<TurnSession> {
  const isLive = definition.mode === 'live' && turn.purpose === 'work';
  const id = isLive ? await liveSession(turn, look) : turn.sessionId;
  if (!(await look.isThere(id))) return { id, state: 'new' };
  const isShared = isLive || definition.mode === 'resume';
  const heard = !isShared || (await hasHeard(turn, id, look));
  return { id, state: heard ? 'interrupted' : 'handed-over' };
}

/** Why a turn is nothing without the session that it continues; undefined when it can begin one. */
export function whyNeeded(
  turn: AgentTurn,
  definition: AgentDefinition,
): { kind: 'config' | 'agent-failed'; reason: string } | undefined {
  switch (turn.purpose) {
    case 'supervise':
      return undefined;
    case 'summary':
    case 'ask-result':
      return {
        kind: 'agent-failed',
        reason: `the session ${turn.sessionId} of ${turn.stepId} is not there any more`,
      };
    case 'work':
      if (definition.mode !== 'resume') return undefined;
      return {
        kind: 'config',
        reason: `${turn.agent} goes on in the session ${turn.sessionId} of ${turn.parent?.stepId ?? 'its parent'}, which is not there`,
      };
  }
}

// A session of somebody else, or of an earlier run, may not know of this run's request yet.
async function hasHeard(
  turn: AgentTurn,
  sessionId: string,
  { earlier, finished }: SessionLook,
): Promise<boolean> {
  for (const { folder, lease } of earlier)
    if (lease.agent && (await notedSession(folder)) === sessionId) return true;
  return finished.some(
    ({ runId, outcome }) => runId === turn.runId && outcome.sessionId === sessionId,
  );
}
