import { Context } from '@temporalio/activity';
import type { AgentOutcome, AgentTurn } from '../../workflows/domain/agent.ts';
import type { HostDependencies } from '../dependencies.ts';
import { checkpointInterruption } from './checkpoint-record.ts';
import { concludeTurn, isConclusive } from './conclude-turn.ts';
import { readFinished, writeFinished } from './finished-record.ts';
import { followAgent } from './follow-agent.ts';
import { startKeeper } from './keeper.ts';
import { releaseLease, releasing, takeLease, type HeldLease } from './lease.ts';
import { hasLostLiveSession, makeReady, type ReadyAgent } from './make-ready.ts';
import { noteDenied, noteEnd, noteStart } from './turn-events.ts';
import { logFile } from './turn-log.ts';

/** Runs one agent turn. The workflow chose the session: a retry resumes it, it does not pay twice. */
export async function runAgent(turn: AgentTurn, host: HostDependencies): Promise<AgentOutcome> {
  const finished = await readFinished(turn);
  if (finished) return told(turn, finished);
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
  const outcome = ready.kind === 'settled' ? ready.outcome : await runUnderKeeper(lease, ready);
  // The next attempt begins another session in its place.
  if (ready.kind === 'ready' && ready.resumes && hasLostLiveSession(ready.story, outcome))
    return runAgent(turn, host);
  await writeFinished(turn, outcome);
  return told(turn, outcome);
}

// After the record: a log that cannot be written costs no turn, and the retry tells what is not told yet.
async function told(turn: AgentTurn, outcome: AgentOutcome): Promise<AgentOutcome> {
  await noteEnd(turn, outcome);
  return outcome;
}

/** Starts the agent, and stays until it and all that it started have ended. */
async function runUnderKeeper(
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
    onStart: () => noteStart(story.turn, attempt, resumes),
  });
  // An end that nobody asked for counts, also when a cancellation came a moment later; but a server
  // that has given us up may have given the turn to somebody else.
  const { timedOut = false, notFound = false } = context.cancellationDetails ?? {};
  const isOurs = !timedOut && !notFound;
  now.end = end;
  if (!isConclusive(end) || !isOurs) {
    // A checkpoint that cannot be written must not hide the cancellation.
    if (context.cancellationSignal.aborted && isOurs)
      await checkpointInterruption(story).catch(() => undefined);
    context.cancellationSignal.throwIfAborted();
  }
  const { denied } = stream.streamEnd.end ?? {};
  if (denied) await noteDenied(story.turn, attempt, denied);
  return concludeTurn(story, end);
}

function activityOf({ info }: Context) {
  return {
    workflowId: info.workflowExecution?.workflowId ?? '',
    runId: info.workflowExecution?.runId ?? '',
    activityId: info.activityId,
    attempt: info.attempt,
  };
}
