import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { z } from 'zod';

/** One line of an activity log; beside the names below it carries what its kind has to say. */
export type LoggedEvent = z.infer<typeof eventSchema>;

const eventSchema = z.looseObject({
  ts: z.string(),
  event: z.string(),
  worker_id: z.string().optional(),
  task_id: z.string().optional(),
  key: z.string().optional(),
});

/** As much of a log as is looked at: some thousand events. */
const TAIL_BYTES = 1 << 20;

/** The last events of a log, oldest first; lines that are no events are passed over. */
export async function lastEvents(file: string, count: number): Promise<LoggedEvent[]> {
  const lines = (await readTail(file)).split('\n');
  return lines.flatMap(parseEvent).slice(-count);
}

async function readTail(file: string): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  // Agents can write beside it: a link or a pipe of theirs is not followed or waited for.
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (!handle) return '';
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(size - from),
      0,
      size - from,
      from,
    );
    const text = buffer.toString('utf8', 0, bytesRead);
    // The first line may have lost its beginning.
    return from > 0 ? text.slice(text.indexOf('\n') + 1) : text;
  } finally {
    await handle.close();
  }
}

function parseEvent(line: string): LoggedEvent[] {
  try {
    return [eventSchema.parse(JSON.parse(line))];
  } catch {
    return [];
  }
}
