import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { FAILURE_FILE, renderFailure } from '../../config/failure-file.ts';
import type { StepRecord } from '../../workflows/domain/task.ts';
import type { TaskInput } from '../../workflows/domain/task-input.ts';
import { writeDurably } from '../durable-file.ts';
import { taskBranch } from '../git/run-names.ts';
import { notWritable } from '../not-writable.ts';
import { placeOf } from './run-place.ts';

export interface Failure extends TaskInput {
  reason: string;
  steps: readonly StepRecord[];
}

/** Writes the reason file of a failed task. */
export async function writeFailure(failure: Failure): Promise<void> {
  const place = placeOf(failure);
  const text = renderFailure({ ...failure, place, branch: taskBranch(place) });
  try {
    await mkdir(place.workerDir, { recursive: true });
    await writeDurably(path.join(place.workerDir, FAILURE_FILE), text);
  } catch (cause) {
    throw notWritable(cause, 'the reason file', place.workerDir);
  }
}
