import { basename, join } from 'node:path';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import { appendLine, hasInTail } from '../append-line.ts';

export type EventFields = Readonly<Record<string, string | number | boolean>>;

/**
 * Adds one event to the activity logs of the project and of the task run, and to the project's event
 * log, which has the same under other names. A retry finds its key and adds nothing.
 *
 * The run's own log comes last, so a key in it says that the line is everywhere. If it is not there,
 * the other two have it only when a death came between the writes, a moment ago: then it is in the
 * part of them that is looked at, unless other tasks have added some thousand lines meanwhile. The
 * worst of that is a line that stands there twice, under one key.
 */
export async function logActivity(
  place: RunPlace,
  event: string,
  fields: EventFields,
  key: string,
): Promise<void> {
  const time = new Date().toISOString();
  const workerId = basename(place.workerDir);
  const rest = { worker_id: workerId, task_id: place.taskId, key: `${workerId}/${key}` };
  const activity = JSON.stringify({ ...fields, ts: time, event, ...rest });
  const same = JSON.stringify({ ...fields, timestamp: time, event_type: event, ...rest });
  const logs = join(place.ralphDir, 'logs');
  const ownLog = join(place.workerDir, 'activity.jsonl');
  const unless = `"key":${JSON.stringify(rest.key)}`;
  if (await hasInTail(ownLog, unless)) return;
  await appendLine(join(logs, 'activity.jsonl'), activity, { unless });
  await appendLine(join(logs, 'events.jsonl'), same, { unless });
  await appendLine(ownLog, activity, { unless });
}
