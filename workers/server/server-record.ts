import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

const recordSchema = z.object({
  process: z.object({ pid: z.number(), startTicks: z.string(), bootId: z.string() }),
  program: z.string(),
  version: z.string(),
  dataDir: z.string(),
  logFile: z.string(),
  ports: z.object({ grpc: z.number(), ui: z.number() }),
  startedAt: z.string(),
  /** It answered once, and its namespace is prepared. */
  ready: z.boolean(),
  /** Somebody asked for the end: who watches must not start it again. */
  stopped: z.boolean(),
});

/** What is known of the server that was started last; stays when the server ends. */
export type ServerRecord = z.infer<typeof recordSchema>;

/** Reads the record; undefined when there is none, or none that can be understood. */
export async function readRecord(stateDir: string): Promise<ServerRecord | undefined> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(fileIn(stateDir), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Writes the record whole or not at all. */
export async function writeRecord(stateDir: string, record: ServerRecord): Promise<void> {
  const beside = `${fileIn(stateDir)}.${randomUUID()}`;
  await writeFile(beside, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  await rename(beside, fileIn(stateDir));
}

/** Puts the record back to what it was before a start that failed. */
export async function restoreRecord(
  stateDir: string,
  before: ServerRecord | undefined,
): Promise<void> {
  if (before) await writeRecord(stateDir, before);
  else await rm(fileIn(stateDir), { force: true });
}

function fileIn(stateDir: string): string {
  return path.join(stateDir, 'server.json');
}
