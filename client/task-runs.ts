import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FAILURE_FILE, parseFailure } from '../config/failure-file.ts';
import { parseWorkerFolder, workersFolder } from '../config/worker-folder.ts';

/** The folder of one run of a task. */
export interface TaskRunFolder {
  task: string;
  epoch: number;
  folder: string;
}

const MAX_REASON = 500;

/** The folders of all task runs. */
export async function taskRuns(ralphDir: string): Promise<TaskRunFolder[]> {
  const workers = workersFolder(ralphDir);
  const names = await readdir(workers).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return [];
    throw cause;
  });
  return names.flatMap((name) => {
    const run = parseWorkerFolder(name);
    return run ? [{ ...run, folder: join(workers, name) }] : [];
  });
}

/** The newest run of each task that ever ran, by task id. */
export async function newestRuns(ralphDir: string): Promise<Map<string, TaskRunFolder>> {
  return newestOf(await taskRuns(ralphDir));
}

/** The newest of these runs for each task, by task id. */
export function newestOf(runs: readonly TaskRunFolder[]): Map<string, TaskRunFolder> {
  const newest = new Map<string, TaskRunFolder>();
  for (const run of runs)
    if (run.epoch >= (newest.get(run.task)?.epoch ?? 0)) newest.set(run.task, run);
  return newest;
}

/** Why a run failed, in one line, as its folder keeps it; undefined when it does not tell. */
export async function failureReason(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, FAILURE_FILE), 'utf8').catch(() => '');
  return parseFailure(text)
    ?.replace(/\s*\n\s*/g, ' ')
    .slice(0, MAX_REASON);
}
