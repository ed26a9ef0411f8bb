import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAgent } from '../../config/load-definitions.ts';
import { loadProjectConfig } from '../../config/project-config.ts';
import { promptWrappers } from '../../config/prompt-wrappers.ts';
import type { PromptVariable } from '../../config/prompt-variables.ts';
import type { AgentOutcome, AgentTurn } from '../../workflows/domain/agent.ts';
import { NO_USAGE } from '../../workflows/domain/usage.ts';
import { WiggumError, type ErrorCode } from '../../workflows/domain/errors.ts';
import type { HostDependencies } from '../dependencies.ts';
import { exists } from '../exists.ts';
import { agentVariables } from './agent-variables.ts';
import type { TurnContext } from './backend.ts';
import { backendNamed } from './backends.ts';
import { checkpointInterruption, lastCheckpoint } from './checkpoint-record.ts';
import { concludeTurn, isConclusive } from './conclude-turn.ts';
import { finishedTurns, readFinished } from './finished-record.ts';
import type { KeeperJob } from './keeper.ts';
import type { HeldLease } from './lease.ts';
import { ModelText } from './model-text.ts';
import { outputFolder } from './output-folder.ts';
import { renderPrompts } from './prompt.ts';
import { fillCompletion, promptValues } from './prompt-values.ts';
import { whyNotRunnable } from './required-paths.ts';
import { noteSession } from './session-id.ts';
import { stallLimit } from './stall-limit.ts';
import { writeSummary } from './summary-file.ts';
import { openLog } from './turn-log.ts';
import { sessionOfTurn, whyNeeded } from './turn-session.ts';
import {
  rereadEarlier,
  secondsSpent,
  streamOf,
  type AttemptStory,
  type TurnStory,
} from './turn-story.ts';

const GRACE_MS = 3_000;
/** Time to save what there is, for an agent whose time is over (checklist 57). */
const TIMEOUT_GRACE_MS = 30_000;
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

/** Whether a live agent's session is gone: it gets another one in its place, in the same turn. */
export function hasLostLiveSession(
  { turn, definition }: TurnStory,
  outcome: AgentOutcome,
): boolean {
  return outcome.kind === 'session-lost' && definition.mode === 'live' && turn.purpose === 'work';
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
  ordered: AgentTurn,
  lease: HeldLease,
  { environment }: HostDependencies,
): Promise<ReadyAgent | SettledTurn> {
  const { place } = ordered;
  if (!(await exists(place.workspace)))
    throw new WiggumError('WORKSPACE_GONE', `the workspace of ${place.taskId} is gone`, {
      where: place.workspace,
    });
  const stallMs = stallLimit(environment);
  const story = await storyOf(ordered, lease, environment);
  const { definition, backend } = story;
  const known = await concludeEarly(story);
  const isLost = known !== undefined && hasLostLiveSession(story, known);
  if (known && !isLost) return { kind: 'settled', outcome: known };

  const settle = async (outcome: WithoutAgent): Promise<SettledTurn> => ({
    kind: 'settled',
    outcome: await withoutAgent(story.turn, lease, outcome),
  });
  const unmet = ordered.purpose === 'work' && (await whyNotRunnable(definition, place.workerDir));
  if (unmet) return settle({ kind: 'config', reason: unmet });

  const session = await sessionOfTurn(ordered, definition, {
    isThere: (sessionId) => backend.sessionExists({ turn: { ...ordered, sessionId }, environment }),
    lost: isLost ? known.sessionId : undefined,
    earlier: lease.earlier,
    finished: story.finished,
  });
  const values = await enterSession(story, session.id, environment);
  const { turn } = story;
  const there = session.state !== 'new';
  const missing = there ? undefined : whyNeeded(turn, definition);
  if (missing) {
    if (turn.purpose === 'summary') await writeSummary(turn, '');
    return settle(missing);
  }

  const context: TurnContext = {
    turn: withLimits(turn),
    folder: lease.folder,
    promptFile: join(lease.folder, 'prompt.md'),
    completion: story.completion,
    tags: { resultTag: definition.resultTag, reportTag: definition.reportTag },
    environment,
  };
  const prompts = await renderPrompts({
    definition,
    turn,
    values,
    session: session.state,
    wrappers: await wrappersFor(turn, environment),
    finished: story.finished,
    lastCheckpoint: () => lastCheckpoint(turn),
  });
  await writeFile(context.promptFile, prompts.user, { mode: 0o600 });
  if (prompts.system !== undefined) {
    context.systemFile = join(lease.folder, 'system.md');
    await writeFile(context.systemFile, prompts.system, { mode: 0o600 });
  }
  await mkdir(outputFolder(place, turn.agent), { recursive: true });
  const command = there ? await backend.resume(context) : await backend.start(context);
  const variables = await agentVariables(context.turn, values, environment);
  const log = await openLog(turn, lease.attempt, { resumes: there, prompt: prompts.user });
  await noteSession(lease.folder, turn.sessionId);
  const timeoutMs = (turn.limits.timeoutSeconds - secondsSpent(story)) * 1_000;
  const now: AttemptStory = {
    folder: lease.folder,
    log,
    sessionId: turn.sessionId,
    end: undefined,
    stream: streamOf(story, turn.sessionId),
  };
  story.attempts.push(now);
  const { program, args } = command;
  return {
    kind: 'ready',
    job: { program, args, timeoutMs, ...jobFor(turn, context, log) },
    stallMs,
    environment: { ...command.environment, ...variables },
    story,
    now,
    resumes: there,
  };
}

/** What is known of a turn before this attempt: all that earlier ones left. */
async function storyOf(
  turn: AgentTurn,
  { earlier }: HeldLease,
  environment: Readonly<NodeJS.ProcessEnv>,
): Promise<TurnStory> {
  const backend = backendNamed(turn.backend);
  const { ralphDir } = turn.place;
  const definition = await loadAgent(turn.agent, { ralphDir, environment });
  const { resultTag, reportTag, completionCheck } = definition;
  const story: TurnStory = {
    turn,
    definition,
    completion: completionCheck,
    backend,
    files: { plan: '', output: '' },
    finished: await finishedTurns(turn.place.workerDir),
    modelText: new ModelText({ resultTag, reportTag, validResults: turn.validResults }),
    attempts: [],
  };
  await rereadEarlier(story, earlier);
  await enterSession(story, story.attempts.at(-1)?.sessionId ?? turn.sessionId, environment);
  return story;
}

/** Lets a turn speak to a session; gives what its prompts can name then. */
async function enterSession(
  story: TurnStory,
  sessionId: string,
  environment: Readonly<NodeJS.ProcessEnv>,
): Promise<Record<PromptVariable, string>> {
  const { definition } = story;
  story.turn = { ...story.turn, sessionId };
  const values = await promptValues(definition, story.turn, environment);
  const { workerDir } = story.turn.place;
  story.files = { plan: values.plan_file, output: values.output_path };
  story.completion = fillCompletion(definition.completionCheck, values, workerDir);
  return values;
}

/** How a turn ended whose worker could not tell any more; undefined when the agent must go on. */
async function concludeEarly(story: TurnStory): Promise<AgentOutcome | undefined> {
  const end = story.attempts.at(-1)?.end;
  if (!end) return undefined;
  if (isConclusive(end)) return concludeTurn(story, end);
  if (secondsSpent(story) >= story.turn.limits.timeoutSeconds)
    return concludeTurn(story, { ...end, reason: 'timeout' });
  await checkpointInterruption(story);
  return undefined;
}

function withLimits(turn: AgentTurn): AgentTurn {
  if (turn.purpose === 'work') return turn;
  const maxTurns = Math.min(turn.limits.maxTurns, REQUEST_TURNS[turn.purpose]);
  return { ...turn, limits: { ...turn.limits, maxTurns } };
}

type WithoutAgent = { kind: 'config' | 'agent-failed'; reason: string };

async function wrappersFor(turn: AgentTurn, host: Readonly<NodeJS.ProcessEnv>) {
  const { ralphDir, projectDir } = turn.place;
  const config = await loadProjectConfig(ralphDir, host);
  const { environment, backend } = turn;
  return promptWrappers({ environment, config, backend, projectDir });
}

function jobFor(
  turn: AgentTurn,
  { folder, promptFile }: TurnContext,
  log: string,
): Omit<KeeperJob, 'program' | 'args' | 'timeoutMs'> {
  return {
    cwd: turn.place.workspace,
    stdinFile: promptFile,
    stdoutFile: log,
    stderrFile: join(folder, 'stderr.log'),
    pidFile: join(turn.place.workerDir, 'agent.pid'),
    graceMs: GRACE_MS,
    timeoutGraceMs: TIMEOUT_GRACE_MS,
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
