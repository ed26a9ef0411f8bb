import { WorkflowUpdateStage, type Client } from '@temporalio/client';
import type { Project } from '../config/project.ts';
import { steerUpdate, taskWorkflowId, type Steered } from '../workflows/contract.ts';
import { WiggumError } from '../workflows/domain/errors.ts';
import { askUpdate, personAt } from './ask.ts';
import type { CommandContext } from './command.ts';
import { findHost, withRunningServer } from './hosting.ts';

/** Says something to the next iteration of a task's agent, and waits until it was heard. */
export async function steerTask(
  { project, id, text }: { project: Project; id: string; text: string },
  context: CommandContext,
): Promise<Steered | 'interrupted'> {
  const { environment, log } = context;
  if (!(await findHost(project.ralphDir)))
    throw new WiggumError(
      'TASK_NOT_RUNNING',
      `Nobody works on ${id} now, so nobody would hear it: start \`wiggum run\` first.`,
    );
  const steered = await withRunningServer(environment, async (client) => {
    const accepted = await accept(client, { project, id, text, by: personAt(environment) });
    log.info(`${id} gets it with its next iteration`);
    return Promise.race([accepted.result(), aborted(context.signal)]);
  });
  if (typeof steered === 'object' && 'noServer' in steered)
    throw new WiggumError('TASK_NOT_RUNNING', `${id} is not running: ${steered.noServer}.`);
  return steered;
}

function accept(
  client: Client,
  { project, id, text, by }: { project: Project; id: string; text: string; by: string },
) {
  const handle = client.workflow.getHandle(taskWorkflowId(project.id, id));
  return askUpdate(client, id, () =>
    handle.startUpdate(steerUpdate, {
      args: [{ text, by }],
      waitForStage: WorkflowUpdateStage.ACCEPTED,
    }),
  );
}

function aborted(signal: AbortSignal): Promise<'interrupted'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('interrupted');
    signal.addEventListener('abort', () => resolve('interrupted'), { once: true });
  });
}
