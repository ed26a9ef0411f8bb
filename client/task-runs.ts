import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The folder of one run of a task. */
export interface TaskRunFolder {
  task: string;
  epoch: number;
  folder: string;
}

const FOLDER = /^worker-([A-Za-z]{2,10}-[0-9]{1,4})-([0-9]{1,15})$/;
/** What a task leaves behind when it fails. */
const FAILURE_FILE = 'failure.md';
const MAX_REASON = 500;

/** The newest run of each task that ever ran, by task id. */
export async function newestRuns(ralphDir: string): Promise<Map<string, TaskRunFolder>> {
  const workers = join(ralphDir, 'workers');
  const names = await readdir(workers).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return [];
    throw cause;
  });
  const newest = new Map<string, TaskRunFolder>();
  for (const name of names) {
    const [, task, digits] = FOLDER.exec(name) ?? [];
    if (task === undefined) continue;
    const epoch = Number(digits);
    if (epoch >= (newest.get(task)?.epoch ?? 0))
      newest.set(task, { task, epoch, folder: join(workers, name) });
  }
  return newest;
}

/** Why a run failed, as its folder keeps it; undefined when it does not tell. */
export async function failureReason(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, FAILURE_FILE), 'utf8').catch(() => '');
  const lines = text.split('\n');
  // The reason is the first quoted paragraph.
  const from = lines.findIndex((line) => line.startsWith('>'));
  const quoted = from === -1 ? [] : lines.slice(from);
  const end = quoted.findIndex((line) => !line.startsWith('>'));
  const reason = quoted
    .slice(0, end === -1 ? quoted.length : end)
    .map((line) => line.slice(1).trim())
    .join(' ')
    .trim();
  return reason === '' ? undefined : reason.slice(0, MAX_REASON);
}
