import { packageRoot } from '../../config/package-root.ts';
import { openProject } from '../../config/project.ts';
import { ExitCode } from '../../workflows/domain/errors.ts';
import type { CommandContext } from '../command.ts';
import { findKnownTask } from '../known-task.ts';
import { widthOfLines } from '../render/width.ts';
import { workerLines } from '../render/worker.ts';
import { workerView } from './worker-view.ts';

/** Shows where a task run stands, or how it ended. */
export async function inspectWorker(
  { task, json }: { task: string; json: boolean },
  { cwd, environment, stdout, log }: CommandContext,
): Promise<number> {
  const { project, notices } = await openProject(cwd, environment);
  for (const notice of notices) log.warn(notice);
  const known = await findKnownTask(project.ralphDir, task);
  const view = await workerView(known, { project, environment });
  const drawing = { cwd, shipped: packageRoot(), columns: widthOfLines(stdout) };
  const lines = json ? [JSON.stringify(view)] : workerLines(view, { ...drawing, now: Date.now() });
  stdout.write(`${lines.join('\n')}\n`);
  return ExitCode.ok;
}
