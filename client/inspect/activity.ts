import { join } from 'node:path';
import { ExitCode } from '../../workflows/domain/errors.ts';
import type { CommandContext } from '../command.ts';
import { lastEvents } from '../event-log.ts';
import { initialisedProject } from '../initialised-project.ts';
import { findKnownTask } from '../known-task.ts';
import { eventLines } from '../render/events.ts';
import { widthOfLines } from '../render/width.ts';

const LAST = 20;

/** Shows the last events of the project, or of one task's run. */
export async function inspectActivity(
  { task, json }: { task: string | undefined; json: boolean },
  { cwd, stdout, log }: CommandContext,
): Promise<number> {
  const { ralphDir } = await initialisedProject(cwd);
  const known = task === undefined ? undefined : await findKnownTask(ralphDir, task);
  const folder = known ? known.run?.folder : join(ralphDir, 'logs');
  const events = folder === undefined ? [] : await lastEvents(join(folder, 'activity.jsonl'), LAST);
  if (json) {
    stdout.write(`${JSON.stringify({ ...(known && { task: known.id }), events })}\n`);
    return ExitCode.ok;
  }
  if (events.length === 0) log.info(`nothing has happened ${known ? `to ${known.id} ` : ''}yet`);
  const columns = widthOfLines(stdout);
  for (const line of eventLines(events, { columns, withTask: !known })) stdout.write(`${line}\n`);
  return ExitCode.ok;
}
