import { expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/client';
import { taskWorkflowId } from '../../workflows/contract.ts';
import { pidsInOrder, talksForAWhile } from '../helpers/a-talker.ts';
import { eventually, task, withWorld } from '../helpers/with-world.ts';

it('starts no second agent while the first may live, whatever the server believes', async () => {
  const script = `tasks:\n${talksForAWhile('AB-1', 'hello.txt')}`;
  await withWorld({ board: task('AB-1', 'Say hello'), script }, async (world) => {
    await world.beginSweep();
    const first = await eventually(
      async () => (await world.ledger()).find(({ action }) => action === 'run'),
      'the agent at work',
    );
    // The server gives the attempt up, as it does after a network cut; the agent knows nothing of it,
    // and does not care when it is told: it goes on until it is killed.
    const handle = world.client.workflow.getHandle(taskWorkflowId(world.project.id, 'AB-1'));
    const { raw } = await handle.describe();
    const activityId = raw.pendingActivities?.[0]?.activityId ?? '';
    await world.client.activity.fail(
      { workflowId: handle.workflowId, activityId },
      ApplicationFailure.retryable('given up by the test'),
    );
    await eventually(
      async () => (await world.ledger()).find(({ event }) => event === 'resume'),
      'the second agent',
    );
    await world.repository.write({ '../go': '' });
    await world.sweepEnd();

    const turn = (await world.ledger()).filter(({ key }) => key === first.key);
    // Once the second has begun, nothing of the first is heard any more.
    expect(pidsInOrder(turn, first.key)).toEqual([first.pid, expect.any(Number)]);
    expect(turn.filter(({ event }) => event === 'end')).toHaveLength(1);
    expect(turn.filter(({ action }) => action === 'append')).toHaveLength(1);
    expect(new Set(turn.map(({ session }) => session)).size).toBe(1);
    expect(await world.markers()).toEqual({ 'AB-1': 'x' });
  });
});
