import { basename } from 'node:path';
import { boardFile, readBoardFile } from '../config/open-board.ts';
import { resolveTaskId } from './task-id.ts';
import { newestOf, taskRuns, type TaskRunFolder } from './task-runs.ts';

/** A task that is or was on the board; `run` is the one that was meant, or its newest. */
export interface KnownTask {
  id: string;
  run?: TaskRunFolder;
}

/**
 * Finds the task that a person means by an id, a worker's id, or a part of either (checklist 5); tasks
 * that somebody took from the board have files too.
 */
export async function findKnownTask(ralphDir: string, wanted: string): Promise<KnownTask> {
  const { board } = await readBoardFile(boardFile(ralphDir));
  const runs = await taskRuns(ralphDir);
  const ids = [...new Set([...board.tasks.map(({ id }) => id), ...runs.map(({ task }) => task)])];
  const workers = new Map(runs.map((run) => [basename(run.folder), run]));
  const needle = wanted.toLowerCase();
  const isWorker = !ids.some((id) => id.toLowerCase().includes(needle));
  const run = isWorker ? workers.get(resolveTaskId(wanted, [...workers.keys()])) : undefined;
  if (run) return { id: run.task, run };
  const id = resolveTaskId(wanted, ids);
  const newest = newestOf(runs).get(id);
  return { id, ...(newest && { run: newest }) };
}
