import type { AgentDefinition, CompletionCheck } from '../../config/agent-definition.ts';
import type { AgentTurn } from '../../workflows/domain/agent.ts';
import {
  addModels,
  beyond,
  NO_USAGE,
  sumUsage,
  totalOf,
  type Usage,
} from '../../workflows/domain/usage.ts';
import type { AttemptEnd } from './attempt-records.ts';
import type { Backend } from './backend.ts';
import type { FinishedTurn } from './finished-record.ts';
import type { EarlierAttempt } from './lease.ts';
import { FileFollower } from './lines.ts';
import { priceAt } from './model-prices.ts';
import type { ModelText } from './model-text.ts';
import { notedSession } from './session-id.ts';
import { TurnStream } from './turn-stream.ts';

/** What one attempt at a turn left behind. */
export interface AttemptStory {
  folder: string;
  log: string;
  sessionId: string;
  end: AttemptEnd | undefined;
  stream: TurnStream;
}

/** Files that an agent's definition names. */
export interface AgentFiles {
  plan: string;
  /** Empty when it names none. */
  output: string;
}

export interface TurnStory {
  turn: AgentTurn;
  definition: AgentDefinition;
  completion: CompletionCheck;
  backend: Backend;
  /** What the agent's definition names, as it stands for this turn. */
  files: AgentFiles;
  /** Turns of the task run that had ended when this one began: until it ends, no other one does. */
  finished: readonly FinishedTurn[];
  /** What the model said, in all attempts. */
  modelText: ModelText;
  /** Attempts that ran, oldest first. */
  attempts: AttemptStory[];
}

/** Takes up what earlier attempts left: their words are part of the turn, and their cost was paid. */
export async function rereadEarlier(
  story: TurnStory,
  earlier: readonly EarlierAttempt[],
): Promise<void> {
  for (const { folder, lease, end } of earlier) {
    if (end?.reason === 'not-started') continue;
    const { log } = lease;
    const sessionId = (await notedSession(folder)) ?? story.turn.sessionId;
    const stream = streamOf(story, sessionId);
    const follower = await FileFollower.open(log).catch(() => undefined);
    await follower?.finish((line) => stream.take(line));
    story.attempts.push({ folder, log, sessionId, end, stream });
  }
}

/** The reader of an attempt that speaks to a session: it knows what was counted for that session already. */
export function streamOf(story: TurnStory, sessionId: string): TurnStream {
  const earlier = story.finished.filter(({ outcome }) => outcome.sessionId === sessionId);
  const here = story.attempts.filter((attempt) => attempt.sessionId === sessionId);
  const before = addModels(
    ...earlier.map(({ outcome }) => outcome.usage.models),
    ...here.map(({ stream }) => stream.usage(0).models),
  );
  return new TurnStream(story.backend, story.modelText, before);
}

/**
 * What a turn used in all of its attempts. A run that was cut off told no price: its tokens are priced
 * as others of the same model in this task run were, unless a later total of the session has them. Lost
 * are an answer's output that did not come to its end, what helpers of the model used in a run that was
 * killed, and the money where nobody ever told a price of that model.
 */
export function usageOfTurn({ attempts, finished }: TurnStory): Usage {
  const used = sumUsage(attempts.map(({ stream, end }) => stream.usage(secondsOf(end))));
  const unpriced = addModels(
    ...attempts
      .filter((attempt, index) => !isInLaterTotal(attempt, attempts.slice(index + 1)))
      .map(({ stream }) => stream.unpriced),
  );
  if (Object.keys(unpriced).length === 0) return used;
  // Tokens without a price lower the rate, and money that was told later for them raises it again:
  // so the rate is that of all together.
  const known = addModels(
    ...finished.map(({ outcome }) => outcome.usage.models),
    beyond(used.models, unpriced),
  );
  const price = priceAt(unpriced, known);
  return sumUsage([used, { ...NO_USAGE, ...totalOf(price) }]);
}

function isInLaterTotal({ sessionId }: AttemptStory, later: readonly AttemptStory[]): boolean {
  return later.some((attempt) => attempt.sessionId === sessionId && attempt.stream.caughtUp);
}

/** How long the attempts at a turn have worked, in seconds. */
export function secondsSpent({ attempts }: Pick<TurnStory, 'attempts'>): number {
  return attempts.reduce((sum, { end }) => sum + secondsOf(end), 0);
}

function secondsOf(end: AttemptEnd | undefined): number {
  if (!end) return 0;
  return Math.max(0, (Date.parse(end.endedAt) - Date.parse(end.startedAt)) / 1_000);
}
