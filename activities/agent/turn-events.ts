import type { AgentOutcome, AgentTurn } from '../../workflows/domain/agent.ts';
import { logActivity } from './activity-log.ts';

const MESSAGE_CHARACTERS = 500;

/** Tells that an agent works, for the first time or again. */
export function noteStart(turn: AgentTurn, attempt: number, resumes: boolean): Promise<void> {
  const event = resumes && attempt > 1 ? 'agent.resumed' : 'agent.started';
  return logActivity(
    turn.place,
    event,
    { ...namesOf(turn), attempt },
    `${turn.key}:start-${attempt}`,
  );
}

/** Tells what an agent was not allowed. It went on without; a person may want to allow it, or to mend the prompt. */
export function noteDenied(turn: AgentTurn, attempt: number, tools: string[]): Promise<void> {
  const message = `not allowed: ${tools.join(', ')}`;
  return logActivity(
    turn.place,
    'agent.denied',
    { ...namesOf(turn), attempt, message },
    `${turn.key}:denied-${attempt}`,
  );
}

/** Tells how a turn ended: what went wrong, when something did, and whether it was an iteration. */
export async function noteEnd(turn: AgentTurn, outcome: AgentOutcome): Promise<void> {
  const { place, key } = turn;
  const names = { ...namesOf(turn), session_id: outcome.sessionId };
  const message = 'reason' in outcome ? outcome.reason.slice(0, MESSAGE_CHARACTERS) : undefined;
  const exitCode = exitCodeOf(outcome);
  if (message !== undefined && exitCode !== undefined)
    await logActivity(
      place,
      'error',
      { ...names, error_type: outcome.kind, message },
      `${key}:error`,
    );
  await logActivity(
    place,
    'agent.completed',
    {
      ...names,
      outcome: outcome.kind,
      ...(outcome.result === undefined ? {} : { result: outcome.result }),
      ...(message === undefined ? {} : { message }),
      turns: outcome.usage.turns,
      cost_usd: outcome.usage.costUsd,
    },
    `${key}:end`,
  );
  if (turn.purpose === 'work' && exitCode !== undefined)
    await logActivity(
      place,
      'iteration.completed',
      { ...names, exit_code: exitCode },
      `${key}:iteration`,
    );
}

/** Exit code of a session, as a shell would tell it; undefined when it only waits to go on. */
function exitCodeOf({ kind }: AgentOutcome): number | undefined {
  switch (kind) {
    case 'ok':
    case 'max-turns':
      return 0;
    case 'timeout':
      return 124;
    case 'agent-failed':
    case 'stalled':
    case 'config':
      return 1;
    case 'limit':
    case 'transient':
    case 'session-lost':
    case 'auth':
      return undefined;
  }
}

function namesOf(turn: AgentTurn) {
  return {
    step_id: turn.stepId,
    run_id: turn.runId,
    agent: turn.agent,
    purpose: turn.purpose,
    iteration: turn.iteration,
    session_id: turn.sessionId,
  };
}
