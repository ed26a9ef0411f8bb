import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TASK_WORKER } from '../config/built-in-agents.ts';
import { WRITTEN_FILES } from '../config/worker-files.ts';
import { NO_USAGE, sumUsage, usageOf, type Usage } from '../workflows/domain/usage.ts';
import type { TaskView } from './board-view.ts';
import { taskRuns } from './task-runs.ts';
import { readRecords, type WorkerRecord } from './worker-records.ts';

/** What the run of one folder used: in rounds that have ended, and since then. */
interface FolderUsage {
  ended: Usage;
  since: Usage;
}

/** Adds up what all task runs of a project used; the tasks at work tell it themselves (checklist 148). */
export function boardUsage(ralphDir: string): (tasks: readonly TaskView[]) => Promise<Usage> {
  // A board is looked at every second: a folder is read again only when it got another record.
  const known = new Map<string, { stamp: string; usage: FolderUsage }>();
  const read = async (folder: string): Promise<FolderUsage> => {
    const stamp = await stampOf(folder);
    const before = known.get(folder);
    if (before?.stamp === stamp) return before.usage;
    const usage = usageOfRecords(await readRecords(folder));
    known.set(folder, { stamp, usage });
    return usage;
  };
  return async (tasks) => {
    const live = new Map(tasks.flatMap(liveUsage));
    const runs = await taskRuns(ralphDir);
    const parts = await Promise.all(
      runs.map(async ({ folder }) => {
        const { ended, since } = await read(folder);
        return sumUsage([ended, live.get(folder) ?? since]);
      }),
    );
    return sumUsage(parts);
  };
}

/** What a task run used, by its records: each round has one of its own, which sums up its steps. */
export function usageOfRecords(records: readonly WorkerRecord[]): FolderUsage {
  const last = records.findLastIndex(({ agent }) => agent === TASK_WORKER);
  const used = (part: readonly WorkerRecord[]) => sumUsage(part.map(({ usage }) => usage));
  return {
    ended: used(records.filter(({ agent }) => agent === TASK_WORKER)),
    since: used(records.slice(last + 1)),
  };
}

function liveUsage(task: TaskView): [string, Usage][] {
  const { open, workerDir, turns } = task;
  if (!open || workerDir === undefined || turns === undefined) return [];
  return [[workerDir, usageOf({ ...NO_USAGE, ...task })]];
}

async function stampOf(folder: string): Promise<string> {
  const stats = await stat(join(folder, WRITTEN_FILES)).catch(() => undefined);
  return stats ? `${stats.mtimeMs} ${stats.size}` : '';
}
