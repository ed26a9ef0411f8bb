import { expect, it } from '@jest/globals';
import { identityOf } from '../../activities/process-identity.ts';
import { taskWorkflowId } from '../../workflows/contract.ts';
import { eventually, task, withWorld } from '../helpers/with-world.ts';

const SCRIPT = `tasks:
  AB-1:
    execution:
      - - write: { path: one.txt, content: "one\\n" }
        - wait: 60
      - - append: { path: one.txt, content: "two\\n" }
        - tick_prd: all
        - result: PASS
`;

it('begins the pipeline again in the same workspace on a plain signal', async () => {
  await withWorld({ board: task('AB-1', 'First'), script: SCRIPT }, async (world) => {
    await world.beginSweep();
    const { pid } = await eventually(
      async () => (await world.ledger()).find(({ action }) => action === 'wait'),
      'the agent at work',
    );
    await world.client.workflow
      .getHandle(taskWorkflowId(world.project.id, 'AB-1'))
      .signal('restart');
    await world.sweepEnd();
    expect(await identityOf(pid)).toBeUndefined();
    expect(await world.markers()).toEqual({ 'AB-1': 'x' });
    expect(await world.repository.git(['show', 'main:one.txt'])).toBe('one\ntwo');
  });
});
