import { expect, it } from '@jest/globals';
import { identityOf } from '../../activities/process-identity.ts';
import { taskWorkflowId } from '../../workflows/contract.ts';
import { writesAfter } from '../helpers/scripts.ts';
import { eventually, task, withWorld } from '../helpers/with-world.ts';

it('treats Cancel in the Temporal UI as an abort, and looks cancelled there', async () => {
  const script = `tasks:\n${writesAfter('AB-1', 'one.txt', ['wait: 60'])}`;
  await withWorld({ board: task('AB-1', 'First'), script }, async (world) => {
    await world.beginSweep();
    const { pid } = await eventually(
      async () => (await world.ledger()).find(({ action }) => action === 'wait'),
      'the agent at work',
    );
    const handle = world.client.workflow.getHandle(taskWorkflowId(world.project.id, 'AB-1'));
    await handle.cancel();
    const view = await world.sweepEnd();
    expect(view.tasks[0]).toMatchObject({ marker: '*', why: 'aborted by Cancel' });
    expect(await identityOf(pid)).toBeUndefined();
    const closed = await eventually(async () => {
      const { status } = await handle.describe();
      return status.name === 'RUNNING' ? undefined : status.name;
    }, 'the end of the workflow');
    expect(closed).toBe('CANCELLED');
  });
});
