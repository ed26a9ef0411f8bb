import { Context } from '@temporalio/activity';
import type { AgentOutcome, AgentTurn } from '../../workflows/domain/agent.ts';
import type { HostDependencies } from '../dependencies.ts';
import { logActivity } from './activity-log.ts';
import { concludeTurn, isConclusive } from './conclude-turn.ts';
import { readFinished, writeFinished } from './finished-record.ts';
import { followAgent } from './follow-agent.ts';
import { startKeeper } from './keeper.ts';
import { releaseLease, takeLease, type HeldLease } from './lease.ts';
import { makeReady, type ReadyAgent } from './make-ready.ts';
import { logFile } from './turn-log.ts';

/** Runs one agent turn. The workflow chose the session: a retry resumes it, it does not pay twice. */
export async function runAgent(turn: AgentTurn, host: HostDependencies): Promise<AgentOutcome> {
  const finished = await readFinished(turn);
  if (finished) return finished;
  const context = Context.current();
  context.cancellationSignal.throwIfAborted();

  // Throws unless every earlier attempt in this workspace is proven dead.
  const lease = await takeLease({
    place: turn.place,
    key: turn.key,
    hostId: host.hostId,
    activity: activityOf(context),
    log: (attempt) => logFile(turn, attempt),
  });
  const ready = await releasing(lease, () => makeReady(turn, lease, host));
  if (ready.kind === 'settled') await releaseLease(lease.folder, 'no agent was needed');
  const outcome =
    ready.kind === 'settled' ? ready.outcome : await runUnderKeeper(turn, lease, ready);
  await noteEnd(turn, outcome);
  await writeFinished(turn, outcome);
  return outcome;
}

/** Starts the agent, and stays until it and all that it started have ended. */
async function runUnderKeeper(
  turn: AgentTurn,
  lease: HeldLease,
  { job, environment, stallMs, story, now, resumes }: ReadyAgent,
): Promise<AgentOutcome> {
  const context = Context.current();
  const { folder, attempt } = lease;
  const { log, stream } = now;
  const keeper = await releasing(lease, () => startKeeper(folder, job, environment));
  const end = await followAgent({
    keeper,
    log,
    stream,
    cancelled: context.cancellationSignal,
    stallMs,
    beat: () => context.heartbeat({ ...stream.progress, folder, log, attempt }),
    onStart: () => noteStart(turn, attempt, resumes),
  });
  // An end that nobody asked for counts, also when a cancellation came a moment later; but a server
  // that has given us up may have given the turn to somebody else.
  const { timedOut = false, notFound = false } = context.cancellationDetails ?? {};
  if (!isConclusive(end) || timedOut || notFound) context.cancellationSignal.throwIfAborted();
  now.end = end;
  const { denied } = stream.streamEnd.end ?? {};
  if (denied) await noteDenied(turn, attempt, denied);
  return concludeTurn(story, end);
}

// A lease without a keeper is held by this process: it would block the workspace as long as we live.
async function releasing<T>({ folder }: HeldLease, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    await releaseLease(folder, String(cause));
    throw cause;
  }
}

function activityOf({ info }: Context) {
  return {
    workflowId: info.workflowExecution?.workflowId ?? '',
    runId: info.workflowExecution?.runId ?? '',
    activityId: info.activityId,
    attempt: info.attempt,
  };
}

function noteStart(turn: AgentTurn, attempt: number, resumes: boolean): Promise<void> {
  const event = resumes && attempt > 1 ? 'agent.resumed' : 'agent.started';
  return logActivity(
    turn.place,
    event,
    { ...namesOf(turn), attempt },
    `${turn.key}:start-${attempt}`,
  );
}

// The agent went on without them; a person may want to allow them, or to mend the prompt.
function noteDenied(turn: AgentTurn, attempt: number, tools: string[]): Promise<void> {
  const message = `not allowed: ${tools.join(', ')}`;
  return logActivity(
    turn.place,
    'agent.denied',
    { ...namesOf(turn), attempt, message },
    `${turn.key}:denied-${attempt}`,
  );
}

function noteEnd(turn: AgentTurn, outcome: AgentOutcome): Promise<void> {
  const fields = {
    ...namesOf(turn),
    outcome: outcome.kind,
    ...(outcome.result === undefined ? {} : { result: outcome.result }),
    ...('reason' in outcome ? { message: outcome.reason.slice(0, 500) } : {}),
    turns: outcome.usage.turns,
    cost_usd: outcome.usage.costUsd,
  };
  return logActivity(turn.place, 'agent.completed', fields, `${turn.key}:end`);
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
