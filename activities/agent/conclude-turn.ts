import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentDefinition, CompletionCheck } from '../../config/agent-definition.ts';
import type { AgentOutcome, AgentTurn, Usage } from '../../workflows/domain/agent.ts';
import type { AttemptEnd } from './attempt-records.ts';
import type { Backend, Verdict } from './backend.ts';
import { checkCompletion } from './completion.ts';
import { writeDurably } from '../durable-file.ts';
import { turnFolder } from './lease.ts';
import type { ModelText } from './model-text.ts';
import { SUMMARY_HEADINGS } from './prompt.ts';
import type { TurnStream } from './turn-stream.ts';

const STDERR_BYTES = 8_192;
const REASON_CHARACTERS = 1_000;
/** The machine had no room for another process just then. */
const PASSING = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE'];

const CONCLUSIVE: AttemptEnd['reason'][] = ['exited', 'timeout', 'stalled', 'output-limit'];

/** What one attempt at a turn left behind. */
export interface AttemptStory {
  folder: string;
  log: string;
  end: AttemptEnd | undefined;
  stream: TurnStream;
}

export interface TurnStory {
  turn: AgentTurn;
  definition: AgentDefinition;
  completion: CompletionCheck;
  backend: Backend;
  /** What the model said, in all attempts. */
  modelText: ModelText;
  /** Attempts that ran, oldest first. */
  attempts: AttemptStory[];
}

/** Whether an attempt ended by the agent's doing or at a limit of ours: then no other one is needed. */
export function isConclusive(end: AttemptEnd | undefined): end is AttemptEnd {
  return end !== undefined && CONCLUSIVE.includes(end.reason);
}

/** Judges a turn by its last attempt, and writes down what the agent handed in. */
export async function concludeTurn(story: TurnStory, end: AttemptEnd): Promise<AgentOutcome> {
  const { turn, definition, modelText } = story;
  const last = story.attempts.at(-1);
  if (!last) throw new Error(`No attempt at ${turn.key} has run.`);
  const verdict = bounded(await judge(story, last, end));
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
    log: last.log,
    sessionId: turn.sessionId,
    usage: story.attempts.map(usageOf).reduce(add),
    startedAt: story.attempts[0]?.end?.startedAt ?? end.startedAt,
    endedAt: end.endedAt,
  };
}

/** Keeps what an agent said of an iteration. The next one reads this file by its name: it is there, with its headings, whatever was said. */
export async function writeSummary(turn: AgentTurn, said: string): Promise<void> {
  const { place, runId, stepId, iteration } = turn;
  const file = join(place.workerDir, 'summaries', runId, `${stepId}-${iteration}-summary.txt`);
  const missing = SUMMARY_HEADINGS.filter((heading) => !said.includes(heading));
  const parts = [said.trim(), ...missing.map((heading) => `## ${heading}\n\nNot said.`)];
  await mkdir(dirname(file), { recursive: true });
  await writeDurably(file, `${parts.filter(Boolean).join('\n\n')}\n`);
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

function isOver({ kind }: JudgedKind): boolean {
  return kind !== 'limit' && kind !== 'auth' && kind !== 'config';
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

function usageOf({ stream, end }: AttemptStory): Usage {
  const milliseconds = end ? Date.parse(end.endedAt) - Date.parse(end.startedAt) : 0;
  return stream.usage(Math.max(0, milliseconds / 1_000));
}

function add(one: Usage, other: Usage): Usage {
  return {
    turns: one.turns + other.turns,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    costUsd: one.costUsd + other.costUsd,
    seconds: one.seconds + other.seconds,
  };
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
