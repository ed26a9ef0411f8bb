import { expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/client';
import { taskWorkflowId } from '../../workflows/contract.ts';
import { eventually, task, withWorld } from '../helpers/with-world.ts';

const SCRIPT = `
tasks:
  AB-1:
    execution:
      - - write: { path: hello.txt, content: "hello\\n" }
        - wait: 4
        - tick_prd: all
        - result: PASS
`;

it('starts no second agent while the first may live, whatever the server believes', async () => {
  await withWorld({ board: task('AB-1', 'Say hello'), script: SCRIPT }, async (world) => {
    await world.beginSweep();
    const first = await eventually(
      async () => (await world.ledger()).find(({ action }) => action === 'wait'),
      'the agent in its pause',
    );
    // The server gives the attempt up, as it does after a network cut; the agent knows nothing of it.
    const handle = world.client.workflow.getHandle(taskWorkflowId(world.project.id, 'AB-1'));
    const { raw } = await handle.describe();
    const activityId = raw.pendingActivities?.[0]?.activityId ?? '';
    await world.client.activity.fail(
      { workflowId: handle.workflowId, activityId },
      ApplicationFailure.retryable('given up by the test'),
    );
    await world.sweepEnd();

    const turn = (await world.ledger()).filter(({ key }) => key === first.key);
    const order = turn.map(({ event, pid }) => `${event === 'step' ? 'works' : event} ${pid}`);
    const second = turn.find(({ event }) => event === 'resume')?.pid;
    expect(second).toBeDefined();
    // Once the second has begun, nothing of the first is heard any more.
    expect(order.slice(order.indexOf(`resume ${second}`))).not.toContain(`works ${first.pid}`);
    expect(order).not.toContain(`end ${first.pid}`);
    expect(new Set(turn.map(({ session }) => session)).size).toBe(1);
    expect(await world.markers()).toEqual({ 'AB-1': 'x' });
  });
});
