import { expect, it } from '@jest/globals';
import { WorkflowUpdateStage } from '@temporalio/client';
import { steerUpdate, taskWorkflowId } from '../../workflows/contract.ts';
import { ONE_STEP, task, withWorld } from '../helpers/with-world.ts';

const SCRIPT = `tasks:
  AB-1:
    execution:
      - - wait_for: '{{project_dir}}/../go-on'
        - fail: broken
`;

it('tells a person whose words nobody will hear any more', async () => {
  const once = { name: 'once', steps: [{ ...ONE_STEP.steps[0], config: { max_iterations: 1 } }] };
  await withWorld(
    { board: task('AB-1', 'Work'), script: SCRIPT, pipeline: once },
    async (world) => {
      await world.beginSweep();
      await world.until('AB-1', ({ iteration }) => iteration === 0);
      const handle = world.client.workflow.getHandle(taskWorkflowId(world.project.id, 'AB-1'));
      const steered = await handle.startUpdate(steerUpdate, {
        args: [{ text: 'Too late.' }],
        waitForStage: WorkflowUpdateStage.ACCEPTED,
      });
      await world.repository.write({ '../go-on': '' });
      expect(await steered.result()).toMatchObject({ delivered: false });
      await world.sweepEnd();
      expect(await world.markers()).toEqual({ 'AB-1': '*' });
    },
  );
});
