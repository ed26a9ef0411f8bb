import type { AgentDefinition, CompletionCheck } from '../../config/agent-definition.ts';
import type { AgentTurn } from '../../workflows/domain/agent.ts';
import type { Usage } from '../../workflows/domain/usage.ts';
import type { AttemptEnd } from './attempt-records.ts';
import type { Backend } from './backend.ts';
import { turnsOfSession } from './finished-record.ts';
import type { EarlierAttempt } from './lease.ts';
import { FileFollower } from './lines.ts';
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

/** Takes up what earlier attempts left: their words are part of the turn, and their cost was paid. */
export async function rereadEarlier(
  story: TurnStory,
  earlier: readonly EarlierAttempt[],
): Promise<void> {
  for (const { folder, lease, end } of earlier) {
    if (end?.reason === 'not-started') continue;
    const { log } = lease;
    const sessionId = (await notedSession(folder)) ?? story.turn.sessionId;
    const stream = await streamOf(story, sessionId);
    const follower = await FileFollower.open(log).catch(() => undefined);
    await follower?.finish((line) => stream.take(line));
    story.attempts.push({ folder, log, sessionId, end, stream });
  }
}

/** The reader of an attempt that speaks to a session: it knows what that session has cost already. */
export async function streamOf(story: TurnStory, sessionId: string): Promise<TurnStream> {
  const finished = await turnsOfSession(story.turn.place.workerDir, sessionId);
  const here = story.attempts.filter((attempt) => attempt.sessionId === sessionId);
  const costs = [
    ...finished.map(({ outcome }) => outcome.usage.costUsd),
    // An attempt that was cut off told no price: the next one's total has it.
    ...here.map(({ stream }) => stream.usage(0).costUsd),
  ];
  return new TurnStream(
    story.backend,
    story.modelText,
    costs.reduce((sum, cost) => sum + cost, 0),
  );
}

/** What one attempt used. */
export function usageOfAttempt({ stream, end }: AttemptStory): Usage {
  return stream.usage(secondsOf(end));
}

/** How long the attempts at a turn have worked, in seconds. */
export function secondsSpent({ attempts }: Pick<TurnStory, 'attempts'>): number {
  return attempts.reduce((sum, { end }) => sum + secondsOf(end), 0);
}

function secondsOf(end: AttemptEnd | undefined): number {
  if (!end) return 0;
  return Math.max(0, (Date.parse(end.endedAt) - Date.parse(end.startedAt)) / 1_000);
}
