import { setTimeout as pause } from 'node:timers/promises';
import type { AttemptEnd } from './attempt-records.ts';
import type { Keeper } from './keeper.ts';
import { FileFollower } from './lines.ts';
import type { TurnStream } from './turn-stream.ts';

const LOOK_EVERY_MS = 200;
const BEAT_EVERY_MS = 1_000;
/** What is read at most between two looks at the clock. */
const READ_BYTES = 1 << 23;

export interface Followed {
  keeper: Keeper;
  log: string;
  stream: TurnStream;
  /** Ends the agent; the caller asks it why. */
  cancelled: AbortSignal;
  /** Silence of the agent that is taken for its end. */
  stallMs: number;
  beat: () => void;
  /** Done once, while the agent runs. */
  onStart: () => Promise<void>;
}

/** Follows an agent to its end. A cancellation arrives only in answer to a beat, so it beats while the agent is silent too. */
export async function followAgent(agent: Followed): Promise<AttemptEnd> {
  const { keeper, stream, cancelled } = agent;
  const over = new AbortController();
  const ended = keeper.ended.finally(() => over.abort());
  ended.catch(() => {}); // told below, when what the agent wrote is read
  const stop = () => keeper.stop();
  cancelled.addEventListener('abort', stop, { once: true });
  if (cancelled.aborted) stop();
  const beating = setInterval(agent.beat, BEAT_EVERY_MS);
  try {
    agent.beat();
    await agent.onStart();
    const follower = await FileFollower.open(agent.log);
    while (!over.signal.aborted) {
      const atEnd = await follower.read((line) => stream.take(line), READ_BYTES);
      if (atEnd && performance.now() - stream.lastEventAt > agent.stallMs) keeper.stop('stalled');
      if (atEnd) await pause(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => {});
    }
    await follower.finish((line) => stream.take(line));
    return await ended;
  } catch (cause) {
    // No agent works on without somebody who listens.
    stop();
    await ended.catch(() => {});
    throw cause;
  } finally {
    clearInterval(beating);
    cancelled.removeEventListener('abort', stop);
  }
}
