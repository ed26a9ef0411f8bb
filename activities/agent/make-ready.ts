import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { loadAgent } from '../../config/load-definitions.ts';
import type { AgentDefinition } from '../../config/agent-definition.ts';
import type { AgentOutcome, AgentTurn } from '../../workflows/domain/agent.ts';
import { WiggumError, type ErrorCode } from '../../workflows/domain/errors.ts';
import type { HostDependencies } from '../dependencies.ts';
import type { TurnContext } from './backend.ts';
import { backendNamed } from './backends.ts';
import {
  concludeTurn,
  isConclusive,
  writeSummary,
  type AttemptStory,
  type TurnStory,
} from './conclude-turn.ts';
import { readFinished, turnsOfSession, type FinishedTurn } from './finished-record.ts';
import type { KeeperJob } from './keeper.ts';
import type { HeldLease } from './lease.ts';
import { FileFollower } from './lines.ts';
import { ModelText } from './model-text.ts';
import { renderPrompts, type SessionState } from './prompt.ts';
import { exists, fillCompletion, outputDir, promptValues } from './prompt-values.ts';
import { stallLimit } from './stall-limit.ts';
import { TurnStream } from './turn-stream.ts';

const GRACE_MS = 3_000;
const ORPHAN_GRACE_MS = 2_000;
const MAX_OUTPUT_BYTES = 1 << 28;
/** Turns of the model that a request without work may take. */
const REQUEST_TURNS = { summary: 5, 'ask-result': 7 } as const;

/** All that an agent needs to be started under its lease. */
export interface ReadyAgent {
  kind: 'ready';
  job: KeeperJob;
  stallMs: number;
  environment: Record<string, string>;
  story: TurnStory;
  /** The attempt that begins now: the last one of the story. */
  now: AttemptStory;
  resumes: boolean;
}

/** A turn that needs no agent any more, or cannot have one. */
export interface SettledTurn {
  kind: 'settled';
  outcome: AgentOutcome;
}

/** Makes ready what one attempt at a turn needs; tells at once what can be told without an agent. */
export async function makeReady(
  turn: AgentTurn,
  lease: HeldLease,
  host: HostDependencies,
): Promise<ReadyAgent | SettledTurn> {
  // An attempt that ended while this one waited for the lease may have finished the turn.
  const finished = await readFinished(turn);
  if (finished) return { kind: 'settled', outcome: finished };
  try {
    return await prepare(turn, lease, host);
  } catch (cause) {
    if (!(cause instanceof WiggumError) || !SETTINGS.includes(cause.code)) throw cause;
    const reason = `${cause.message} ${cause.hint}`;
    return {
      kind: 'settled',
      outcome: await withoutAgent(turn, lease, { kind: 'config', reason }),
    };
  }
}

/** Where an attempt's stream goes. No two attempts share a file. */
export function logFile(turn: AgentTurn, attempt: number): string {
  const { place, runId, stepId, key } = turn;
  const part = key.replace(`${runId}/`, '').replace(/[^A-Za-z0-9._-]+/g, '-');
  const again = attempt > 1 ? `-attempt-${attempt}` : '';
  return join(place.workerDir, 'logs', runId, `${stepId}-${part}${again}.log`);
}

/** Faults that a person mends: the agent cannot be had, and trying again brings nothing. */
const SETTINGS: ErrorCode[] = [
  'AGENT_MISSING',
  'AGENT_INVALID',
  'CONFIG_INVALID',
  'SCRIPT_INVALID',
  'BACKEND_UNKNOWN',
  'BACKEND_MISSING',
];

async function prepare(
  turn: AgentTurn,
  lease: HeldLease,
  { environment }: HostDependencies,
): Promise<ReadyAgent | SettledTurn> {
  const { place } = turn;
  if (!(await exists(place.workspace)))
    throw new WiggumError('WORKSPACE_GONE', `the workspace of ${place.taskId} is gone`, {
      where: place.workspace,
    });
  const backend = backendNamed(turn.backend);
  const stallMs = stallLimit(environment);
  const definition = await loadAgent(turn.agent, { ralphDir: place.ralphDir, environment });
  const values = await promptValues(definition, turn, environment);
  const tags = { resultTag: definition.resultTag, reportTag: definition.reportTag };
  const heard = await turnsOfSession(place.workerDir, turn.sessionId);
  const story: TurnStory = {
    turn,
    definition,
    completion: fillCompletion(definition.completionCheck, values, place.workerDir),
    backend,
    modelText: new ModelText({ ...tags, validResults: turn.validResults }),
    attempts: [],
  };
  const costBefore = costOf(heard);
  await rereadEarlier(story, lease, costBefore);
  const last = story.attempts.at(-1);
  // The agent came to its end, but the worker died before it could tell.
  if (last && isConclusive(last.end))
    return { kind: 'settled', outcome: await concludeTurn(story, last.end) };

  const context: TurnContext = {
    turn: withLimits(turn),
    folder: lease.folder,
    promptFile: join(lease.folder, 'prompt.md'),
    completion: story.completion,
    tags,
    environment,
  };
  const there = await backend.sessionExists(context);
  const missing = there ? undefined : whyNeeded(turn, definition);
  if (missing) {
    if (turn.purpose === 'summary') await writeSummary(turn, '');
    return { kind: 'settled', outcome: await withoutAgent(turn, lease, missing) };
  }

  const state = there ? stateOf(turn, definition, lease, heard) : 'new';
  const prompts = await renderPrompts(definition, turn, values, state);
  await writeFile(context.promptFile, prompts.user, { mode: 0o600 });
  if (prompts.system !== undefined) {
    context.systemFile = join(lease.folder, 'system.md');
    await writeFile(context.systemFile, prompts.system, { mode: 0o600 });
  }
  await mkdir(outputDir(turn, turn.agent), { recursive: true });
  const command = there ? await backend.resume(context) : await backend.start(context);
  const log = await openLog(turn, lease, { resumes: there, prompt: prompts.user });
  const now: AttemptStory = {
    folder: lease.folder,
    log,
    end: undefined,
    stream: new TurnStream(backend, story.modelText, costBefore + costSoFar(story)),
  };
  story.attempts.push(now);
  const { program, args } = command;
  return {
    kind: 'ready',
    job: { program, args, ...jobFor(turn, context, log) },
    stallMs,
    environment: command.environment,
    story,
    now,
    resumes: there,
  };
}

// The words of an attempt that was cut off are part of the turn, and its cost was paid.
async function rereadEarlier(
  story: TurnStory,
  { earlier }: HeldLease,
  costBefore: number,
): Promise<void> {
  for (const { folder, lease, end } of earlier) {
    if (end?.reason === 'not-started') continue;
    const { backend, modelText } = story;
    const stream = new TurnStream(backend, modelText, costBefore + costSoFar(story));
    const follower = await FileFollower.open(lease.log).catch(() => undefined);
    await follower?.finish((line) => stream.take(line));
    story.attempts.push({ folder, log: lease.log, end, stream });
  }
}

function withLimits(turn: AgentTurn): AgentTurn {
  if (turn.purpose === 'work') return turn;
  const maxTurns = Math.min(turn.limits.maxTurns, REQUEST_TURNS[turn.purpose]);
  return { ...turn, limits: { ...turn.limits, maxTurns } };
}

type WithoutAgent = { kind: 'config' | 'agent-failed'; reason: string };

/** Why a turn is nothing without the session that it continues; undefined when it can begin one. */
function whyNeeded(turn: AgentTurn, definition: AgentDefinition): WithoutAgent | undefined {
  const reason = `the session ${turn.sessionId} of ${turn.stepId} is not there any more`;
  if (turn.purpose !== 'work') return { kind: 'agent-failed', reason };
  if (definition.mode === 'resume')
    return {
      kind: 'config',
      reason: `${turn.agent} goes on in the session ${turn.sessionId} of ${turn.parent?.stepId ?? 'its parent'}, which is not there`,
    };
  return undefined;
}

function stateOf(
  turn: AgentTurn,
  definition: AgentDefinition,
  lease: HeldLease,
  heard: FinishedTurn[],
): SessionState {
  if (definition.mode !== 'resume') return 'interrupted';
  const tried =
    lease.earlier.some((attempt) => attempt.lease.agent !== undefined) ||
    heard.some(({ runId }) => runId === turn.runId);
  return tried ? 'interrupted' : 'handed-over';
}

function jobFor(
  turn: AgentTurn,
  { folder, promptFile }: TurnContext,
  log: string,
): Omit<KeeperJob, 'program' | 'args'> {
  return {
    cwd: turn.place.workspace,
    stdinFile: promptFile,
    stdoutFile: log,
    stderrFile: join(folder, 'stderr.log'),
    pidFile: join(turn.place.workerDir, 'agent.pid'),
    timeoutMs: turn.limits.timeoutSeconds * 1_000,
    graceMs: GRACE_MS,
    orphanGraceMs: ORPHAN_GRACE_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  };
}

// The first line is ours: what was said to the agent. No backend takes it for an event of its own.
async function openLog(
  turn: AgentTurn,
  { attempt }: HeldLease,
  more: Record<string, unknown>,
): Promise<string> {
  const log = logFile(turn, attempt);
  const line = {
    type: 'iteration_start',
    iteration: turn.iteration,
    purpose: turn.purpose,
    agent: turn.agent,
    session_id: turn.sessionId,
    max_turns: turn.limits.maxTurns,
    attempt,
    timestamp: new Date().toISOString(),
    ...more,
  };
  await mkdir(dirname(log), { recursive: true });
  await writeFile(log, `${JSON.stringify(line)}\n`, { flag: 'wx' });
  return log;
}

async function withoutAgent(
  turn: AgentTurn,
  lease: HeldLease,
  outcome: WithoutAgent,
): Promise<AgentOutcome> {
  const now = new Date().toISOString();
  const usage = { turns: 0, inputTokens: 0, outputTokens: 0, costUsd: 0, seconds: 0 };
  return {
    ...outcome,
    complete: false,
    log: await openLog(turn, lease, { error: outcome.reason }),
    sessionId: turn.sessionId,
    usage,
    startedAt: now,
    endedAt: now,
  };
}

function costOf(turns: FinishedTurn[]): number {
  return turns.reduce((sum, { outcome }) => sum + outcome.usage.costUsd, 0);
}

// An attempt that was cut off told no price: the next one's total has it.
function costSoFar({ attempts }: TurnStory): number {
  return attempts.reduce((sum, { stream }) => sum + stream.usage(0).costUsd, 0);
}
