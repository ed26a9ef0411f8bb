import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentOutcome, AgentTurn } from '../../workflows/domain/agent.ts';
import type { AttemptEnd } from './attempt-records.ts';
import type { Verdict } from './backend.ts';
import { checkpointTurn } from './checkpoint-record.ts';
import { checkCompletion } from './completion.ts';
import { writeDurably } from '../durable-file.ts';
import { turnFolder } from './lease.ts';
import { writeSummary } from './summary-file.ts';
import { keepAnswer, readAnswer, UNHEARD } from './supervisor-answer.ts';
import { usageOfTurn, type AttemptStory, type TurnStory } from './turn-story.ts';

const STDERR_BYTES = 8_192;
const REASON_CHARACTERS = 1_000;
/** The machine had no room for another process just then. */
const PASSING = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE'];

const CONCLUSIVE: AttemptEnd['reason'][] = ['exited', 'timeout', 'stalled', 'output-limit'];

/** Whether an attempt ended by the agent's doing or at a limit of ours: then no other one is needed. */
export function isConclusive({ reason }: AttemptEnd): boolean {
  return CONCLUSIVE.includes(reason);
}

/** Judges a turn by its last attempt, and writes down what the agent handed in and how the iteration stands. */
export async function concludeTurn(story: TurnStory, end: AttemptEnd): Promise<AgentOutcome> {
  const outcome = await judgeTurn(story, end);
  await checkpointTurn(story, outcome);
  return outcome;
}

async function judgeTurn(story: TurnStory, end: AttemptEnd): Promise<AgentOutcome> {
  const { turn, definition, modelText } = story;
  const last = story.attempts.at(-1);
  if (!last) throw new Error(`No attempt at ${turn.key} has run.`);
  const verdict = bounded(await judge(story, last, end));
  const facts = {
    log: last.log,
    sessionId: turn.sessionId,
    usage: usageOfTurn(story),
    startedAt: story.attempts[0]?.end?.startedAt ?? end.startedAt,
    endedAt: end.endedAt,
  };
  if (turn.purpose === 'supervise')
    return { ...verdict, ...facts, complete: false, ...(await decided(story, verdict)) };
  const { complete, result } = await checkCompletion(story.completion, modelText.result, {
    resultTag: definition.resultTag,
    validResults: turn.validResults,
    // A loop looks again after its next iteration.
    final: definition.mode !== 'ralph_loop' || turn.iteration + 1 >= turn.limits.maxIterations,
  });
  const report = turn.purpose === 'summary' ? undefined : await writeReport(turn, modelText.report);
  if (turn.purpose === 'summary' && isOver(verdict)) await writeSummary(turn, modelText.tail);
  return {
    ...verdict,
    complete,
    ...(result === undefined ? {} : { result }),
    ...(report === undefined ? {} : { report }),
    ...facts,
  };
}

type JudgedKind = Verdict | { kind: 'timeout' | 'stalled'; reason: string };

async function judge(
  { backend, turn }: TurnStory,
  { folder, stream }: AttemptStory,
  end: AttemptEnd,
): Promise<JudgedKind> {
  switch (end.reason) {
    case 'exited':
      return backend.classify(stream.streamEnd, {
        exitCode: end.exitCode,
        signal: end.signal,
        stderr: await tailOf(join(folder, 'stderr.log')),
      });
    case 'timeout':
      return {
        kind: 'timeout',
        reason: `the agent was ended after ${turn.limits.timeoutSeconds} seconds`,
      };
    case 'stalled':
      return { kind: 'stalled', reason: 'the agent was ended: nothing was heard of it any more' };
    case 'output-limit':
      return { kind: 'agent-failed', reason: 'the agent was ended: it wrote without an end' };
    case 'not-started':
      if (PASSING.includes(end.error?.code ?? '')) throw new Error(end.error?.message);
      return { kind: 'config', reason: end.error?.message ?? 'the program could not be started' };
    case 'stopped':
    case 'worker-died':
    case 'keeper-died':
      // Nobody of ours asked for it: the next attempt goes on in the same session.
      throw new Error(`The agent of ${turn.key} was ended from outside (${end.reason}).`);
  }
}

// An outcome goes into histories; the whole story is in the log.
function bounded(verdict: JudgedKind): JudgedKind {
  return 'reason' in verdict
    ? { ...verdict, reason: verdict.reason.slice(0, REASON_CHARACTERS) }
    : verdict;
}

// The words of a session that failed are no evidence: its loop goes on as if nobody had looked.
async function decided({ turn, modelText }: TurnStory, verdict: JudgedKind) {
  if (!isOver(verdict)) return {};
  const answered = verdict.kind === 'ok' || verdict.kind === 'max-turns';
  const answer = answered ? readAnswer(modelText.tail) : UNHEARD;
  await keepAnswer(turn, answer);
  return { decision: answer.decision };
}

function isOver({ kind }: JudgedKind): boolean {
  return !['limit', 'transient', 'session-lost', 'auth', 'config'].includes(kind);
}

async function writeReport(
  turn: AgentTurn,
  report: string | undefined,
): Promise<string | undefined> {
  if (report === undefined) return undefined;
  const file = join(turnFolder(turn.place.workerDir, turn.key), 'report.md');
  await writeDurably(file, `${report}\n`);
  return file;
}

async function tailOf(file: string): Promise<string> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (!handle) return '';
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, STDERR_BYTES);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8');
  } finally {
    await handle.close();
  }
}
