import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Project } from '../config/project.ts';
import { steeredQuery, steerUpdate, taskWorkflowId, type Steered } from '../workflows/contract.ts';
import { WiggumError } from '../workflows/domain/errors.ts';
import { askUpdate, isUnanswered, personAt } from './ask.ts';
import type { CommandContext } from './command.ts';
import { findHost, withRunningServer } from './hosting.ts';

const LOOK_EVERY_MS = 500;

/** Words that were taken, and what became of them as far as this command could see. */
export type Steering = Steered | 'interrupted' | 'host-gone';

/** Says something to the next iteration of a task's agent, and waits until it was heard. */
export async function steerTask(
  { project, id, text }: { project: Project; id: string; text: string },
  context: CommandContext,
): Promise<Steering> {
  const { environment, log, signal } = context;
  if (!(await findHost(project.ralphDir)))
    throw new WiggumError(
      'TASK_NOT_RUNNING',
      `Nobody works on ${id} now, so nobody would hear it: start \`wiggum run\` first.`,
    );
  const steered = await withRunningServer(environment, async (client) => {
    const handle = client.workflow.getHandle(taskWorkflowId(project.id, id));
    const args: [{ text: string; by: string }] = [{ text, by: personAt(environment) }];
    const number = await askUpdate(client, id, () => handle.executeUpdate(steerUpdate, { args }));
    log.info(`${id} gets it with its next iteration`);
    return fateOf(client, { project, id, number, signal });
  });
  if (typeof steered === 'object' && 'noServer' in steered)
    throw new WiggumError('TASK_NOT_RUNNING', `${id} is not running: ${steered.noServer}.`);
  return steered;
}

async function fateOf(
  client: Client,
  wanted: { project: Project; id: string; number: number; signal: AbortSignal },
): Promise<Steering> {
  const { project, id, number, signal } = wanted;
  const handle = client.workflow.getHandle(taskWorkflowId(project.id, id));
  while (!signal.aborted) {
    const fate = await handle.query(steeredQuery, number).catch((cause: unknown) => {
      if (!isUnanswered(cause)) throw cause;
      return null;
    });
    if (fate) return fate;
    if (!(await findHost(project.ralphDir))) return 'host-gone';
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return 'interrupted';
}
