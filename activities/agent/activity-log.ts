import { constants } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import { FileFollower } from './lines.ts';

export type EventFields = Readonly<Record<string, string | number | boolean>>;

/**
 * Adds one event to the task run's and to the project's activity log. A retry finds the key in the
 * line that is there and adds nothing.
 */
export async function logActivity(
  place: RunPlace,
  event: string,
  fields: EventFields,
  key: string,
): Promise<void> {
  const workerId = basename(place.workerDir);
  const line = JSON.stringify({
    ...fields,
    ts: new Date().toISOString(),
    event,
    worker_id: workerId,
    task_id: place.taskId,
    key: `${workerId}/${key}`,
  });
  for (const file of [
    join(place.ralphDir, 'logs', 'activity.jsonl'),
    join(place.workerDir, 'activity.jsonl'),
  ])
    if (!(await hasKey(file, `${workerId}/${key}`))) await appendLine(file, line);
}

async function hasKey(file: string, key: string): Promise<boolean> {
  const follower = await FileFollower.open(file).catch(unlessMissing);
  if (!follower) return false;
  const entry = `"key":${JSON.stringify(key)}`;
  let found = false;
  await follower.finish((line) => {
    found ||= line.kind === 'line' && line.text.includes(entry);
  });
  return found;
}

// One write call at the end of the file: lines of several writers never mix. An agent can reach the
// worker folder, so a link in place of the log is not followed.
async function appendLine(file: string, line: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  const handle = await open(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o644);
  try {
    const bytes = Buffer.from(`${(await endsInMidLine(handle)) ? '\n' : ''}${line}\n`);
    const { bytesWritten } = await handle.write(bytes);
    if (bytesWritten < bytes.length) throw new Error(`${file} took only a part of a line.`);
  } finally {
    await handle.close();
  }
}

// What a full disk cut off must not spoil the next line too.
async function endsInMidLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString('latin1') !== '\n';
}

function unlessMissing(cause: NodeJS.ErrnoException): undefined {
  if (cause.code !== 'ENOENT') throw cause;
}
