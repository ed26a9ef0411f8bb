import { WORKER_PATHS, workerPath } from '../../config/worker-files.ts';
import { nearestName } from '../../config/nearest-name.ts';
import { ExitCode, WiggumError } from '../../workflows/domain/errors.ts';
import type { CommandContext } from '../command.ts';
import { initialisedProject } from '../initialised-project.ts';
import { findKnownTask } from '../known-task.ts';

export interface PathWish {
  task: string;
  kind: string;
  /** Agent type or step id. */
  of: string | undefined;
  json: boolean;
}

/** Prints the newest path of something in a task run (checklist 87). */
export async function inspectPath(
  { task, kind: wanted, of, json }: PathWish,
  { cwd, stdout, log }: CommandContext,
): Promise<number> {
  const kind = WORKER_PATHS.find((known) => known === wanted);
  if (kind === undefined) {
    const meant = nearestName(wanted, WORKER_PATHS);
    throw new WiggumError(
      'USAGE',
      `There is no kind "${wanted}"; ${meant ? `did you mean ${meant}?` : `there are ${WORKER_PATHS.join(', ')}.`}`,
    );
  }
  if (of !== undefined && kind !== 'result' && kind !== 'report')
    throw new WiggumError(
      'USAGE',
      `A task run has one ${kind}; only results and reports are many.`,
    );
  const { ralphDir } = await initialisedProject(cwd);
  const { id, run } = await findKnownTask(ralphDir, task);
  const path =
    run &&
    (await workerPath({ workerDir: run.folder, kind, ...(of !== undefined && { name: of }) }));
  if (json) stdout.write(`${JSON.stringify({ task: id, kind, of, path: path ?? null })}\n`);
  else if (path !== undefined) stdout.write(`${path}\n`);
  else
    log.error(
      `none: ${run ? `${id} has no ${kind}${of ? ` of ${of}` : ''}` : `${id} has not run`}`,
    );
  return path === undefined ? ExitCode.error : ExitCode.ok;
}
