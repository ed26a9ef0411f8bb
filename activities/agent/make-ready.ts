import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAgent } from '../../config/load-definitions.ts';
import { loadProjectConfig } from '../../config/project-config.ts';
import { promptWrappers } from '../../config/prompt-wrappers.ts';
import type { AgentDefinition } from '../../config/agent-definition.ts';
import type { AgentOutcome, AgentTurn } from '../../workflows/domain/agent.ts';
import { NO_USAGE } from '../../workflows/domain/usage.ts';
import { WiggumError, type ErrorCode } from '../../workflows/domain/errors.ts';
import type { HostDependencies } from '../dependencies.ts';
import type { TurnContext } from './backend.ts';
import { backendNamed } from './backends.ts';
import { concludeTurn, isConclusive } from './conclude-turn.ts';
import { readFinished, turnsOfSession, type FinishedTurn } from './finished-record.ts';
import type { KeeperJob } from './keeper.ts';
import type { HeldLease } from './lease.ts';
import { ModelText } from './model-text.ts';
import { renderPrompts, type SessionState } from './prompt.ts';
import { exists, fillCompletion, outputDir, promptValues } from './prompt-values.ts';
import { whyNotRunnable } from './required-paths.ts';
import { stallLimit } from './stall-limit.ts';
import { writeSummary } from './summary-file.ts';
import { openLog } from './turn-log.ts';
import { rereadEarlier, streamOf, type AttemptStory, type TurnStory } from './turn-story.ts';

const GRACE_MS = 3_000;
const ORPHAN_GRACE_MS = 2_000;
const MAX_OUTPUT_BYTES = 1 << 28;
/** Turns of the model that a request without work may take. */
const REQUEST_TURNS = { summary: 5, 'ask-result': 7, supervise: 5 } as const;

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
  await rereadEarlier(story, lease.earlier);
  const last = story.attempts.at(-1);
  // The agent came to its end, but the worker died before it could tell.
  if (last && isConclusive(last.end))
    return { kind: 'settled', outcome: await concludeTurn(story, last.end) };

  const unmet = turn.purpose === 'work' && (await whyNotRunnable(definition, place.workerDir));
  if (unmet)
    return {
      kind: 'settled',
      outcome: await withoutAgent(turn, lease, { kind: 'config', reason: unmet }),
    };
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
  const wrappers = await wrappersFor(turn, environment);
  const prompts = await renderPrompts({ definition, turn, values, session: state, wrappers });
  await writeFile(context.promptFile, prompts.user, { mode: 0o600 });
  if (prompts.system !== undefined) {
    context.systemFile = join(lease.folder, 'system.md');
    await writeFile(context.systemFile, prompts.system, { mode: 0o600 });
  }
  await mkdir(outputDir(turn, turn.agent), { recursive: true });
  const command = there ? await backend.resume(context) : await backend.start(context);
  const log = await openLog(turn, lease.attempt, { resumes: there, prompt: prompts.user });
  const now: AttemptStory = {
    folder: lease.folder,
    log,
    sessionId: turn.sessionId,
    end: undefined,
    stream: await streamOf(story, turn.sessionId),
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

function withLimits(turn: AgentTurn): AgentTurn {
  if (turn.purpose === 'work') return turn;
  const maxTurns = Math.min(turn.limits.maxTurns, REQUEST_TURNS[turn.purpose]);
  return { ...turn, limits: { ...turn.limits, maxTurns } };
}

type WithoutAgent = { kind: 'config' | 'agent-failed'; reason: string };

/** Why a turn is nothing without the session that it continues; undefined when it can begin one. */
function whyNeeded(turn: AgentTurn, definition: AgentDefinition): WithoutAgent | undefined {
  const reason = `the session ${turn.sessionId} of ${turn.stepId} is not there any more`;
  if (turn.purpose === 'supervise') return undefined;
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

async function wrappersFor(turn: AgentTurn, host: Readonly<NodeJS.ProcessEnv>) {
  const { ralphDir, projectDir } = turn.place;
  const environment = { ...host, ...turn.environment };
  const config = await loadProjectConfig(ralphDir, environment);
  return promptWrappers({ environment, config, backend: turn.backend, projectDir });
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

async function withoutAgent(
  turn: AgentTurn,
  lease: HeldLease,
  outcome: WithoutAgent,
): Promise<AgentOutcome> {
  const now = new Date().toISOString();
  return {
    ...outcome,
    complete: false,
    log: await openLog(turn, lease.attempt, { error: outcome.reason }),
    sessionId: turn.sessionId,
    usage: NO_USAGE,
    startedAt: now,
    endedAt: now,
  };
}
