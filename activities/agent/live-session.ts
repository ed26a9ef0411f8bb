import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentTurn } from '../../workflows/domain/agent.ts';
import { writeDurably } from '../durable-file.ts';
import { readSessionId } from './session-id.ts';

export interface LiveSessionLook {
  /** Whether the backend has this session. */
  isThere: (sessionId: string) => Promise<boolean>;
  /** A session that its program said it does not know any more. */
  lost: string | undefined;
}

/**
 * Names the session of a live agent's step: `live_sessions/<step_id>.session` decides. It is written
 * before the session is begun, so a retry in between begins that one and no second one.
 */
export async function liveSession(
  { place, stepId, sessionId }: AgentTurn,
  { isThere, lost }: LiveSessionLook,
): Promise<string> {
  const file = join(place.workerDir, 'live_sessions', `${stepId}.session`);
  const known = await readSessionId(file);
  if (known !== undefined && known !== lost && (known === sessionId || (await isThere(known))))
    return known;
  const fresh = known === undefined && sessionId !== lost ? sessionId : randomUUID();
  await mkdir(dirname(file), { recursive: true });
  await writeDurably(file, `${fresh}\n`);
  return fresh;
}
