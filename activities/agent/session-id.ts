import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readPlainFile } from '../../config/plain-file.ts';

const SESSION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads the name of a session. Agents can reach these files: what is not a name of ours must not become a path. */
export async function readSessionId(file: string): Promise<string | undefined> {
  const text = (await readPlainFile(file))?.trim() ?? '';
  return SESSION_ID.test(text) ? text : undefined;
}

/** Notes the session that an attempt speaks to: another attempt at the same turn may have to take another one. */
export async function noteSession(attemptFolder: string, sessionId: string): Promise<void> {
  await writeFile(sessionFile(attemptFolder), `${sessionId}\n`, { mode: 0o600 });
}

/** The session that an attempt spoke to; undefined when it did not come that far. */
export function notedSession(attemptFolder: string): Promise<string | undefined> {
  return readSessionId(sessionFile(attemptFolder));
}

function sessionFile(attemptFolder: string): string {
  return join(attemptFolder, 'session');
}
