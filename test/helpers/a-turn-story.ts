import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Backend } from '../../activities/agent/backend.ts';
import { finishedTurns } from '../../activities/agent/finished-record.ts';
import { ModelText } from '../../activities/agent/model-text.ts';
import { streamOf, type TurnStory } from '../../activities/agent/turn-story.ts';
import { anAgent } from './an-agent.ts';
import type { AgentWorld } from './with-agents.ts';

const STREAMS = path.join(import.meta.dirname, '..', 'fixtures', 'claude-streams');

/** A turn that begins now. */
export async function aTurnStory(
  { turn, place }: AgentWorld,
  backend: Backend,
  key?: string,
): Promise<TurnStory> {
  const definition = anAgent();
  return {
    turn: turn(key === undefined ? {} : { key }),
    definition,
    completion: definition.completionCheck,
    backend,
    files: { plan: '', output: '' },
    finished: await finishedTurns(place.workerDir),
    modelText: new ModelText({ resultTag: 'result', reportTag: 'report', validResults: [] }),
    attempts: [],
  };
}

/** Adds an attempt that wrote these lines. */
export function addAttempt(story: TurnStory, lines: readonly string[]): void {
  const { sessionId } = story.turn;
  const stream = streamOf(story, sessionId);
  for (const text of lines) stream.take({ kind: 'line', text });
  story.attempts.push({ folder: '', log: '', sessionId, end: undefined, stream });
}

/** What the real program wrote in one run, shortened. */
export async function recordedStream(name: string): Promise<string[]> {
  return (await readFile(path.join(STREAMS, `${name}.jsonl`), 'utf8')).trimEnd().split('\n');
}
