import path from 'node:path';
import { workerFolderName, workersFolder } from '../../config/worker-folder.ts';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import type { TaskInput } from '../../workflows/domain/task-input.ts';
import { runKey } from '../git/run-names.ts';

/** Where a task run lives, by its task and its claim. */
export function placeOf(
  input: Pick<TaskInput, 'projectDir' | 'ralphDir' | 'taskId' | 'epoch'>,
): RunPlace {
  const { projectDir, ralphDir, taskId, epoch } = input;
  const workerDir = path.join(workersFolder(ralphDir), workerFolderName(runKey(input)));
  return {
    projectDir,
    ralphDir,
    workerDir,
    workspace: path.join(workerDir, 'workspace'),
    taskId,
    epoch,
  };
}
