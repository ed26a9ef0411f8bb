import { access } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { identityOf } from '../../activities/process-identity.ts';
import { taskWorkflowId } from '../../workflows/contract.ts';
import { writesAfter } from '../helpers/scripts.ts';
import { eventually, task, withWorld } from '../helpers/with-world.ts';

it('ends an agent on a plain signal, keeps its workspace and marks the board', async () => {
  const script = `tasks:\n${writesAfter('AB-1', 'one.txt', ['wait: 60'])}`;
  await withWorld({ board: task('AB-1', 'First'), script }, async (world) => {
    await world.beginSweep();
    const { pid } = await eventually(
      async () => (await world.ledger()).find(({ action }) => action === 'wait'),
      'the agent at work',
    );
    // As `temporal workflow signal --name abort` sends it: without an argument.
    await world.client.workflow.getHandle(taskWorkflowId(world.project.id, 'AB-1')).signal('abort');
    const view = await world.sweepEnd();
    expect(view.tasks[0]).toMatchObject({ marker: '*', why: 'aborted by a signal' });
    expect(await identityOf(pid)).toBeUndefined();
    await access(`${view.tasks[0]?.workerDir}/workspace/one.txt`);
  });
});
