import path from 'node:path';
import { TASK_ID } from '../workflows/domain/board.ts';

/** Where the folders of all task runs lie. */
export function workersFolder(ralphDir: string): string {
  return path.join(ralphDir, 'workers');
}

/** The name of a task run's folder, by the run's key `<ID>-<epoch>`. */
export function workerFolderName(runKey: string): string {
  return `worker-${runKey}`;
}

/** The task run whose folder has this name; undefined when it is none. */
export function parseWorkerFolder(name: string): { task: string; epoch: number } | undefined {
  const [, task = '', digits] = /^worker-(.+)-([0-9]{1,15})$/.exec(name) ?? [];
  return TASK_ID.test(task) ? { task, epoch: Number(digits) } : undefined;
}
