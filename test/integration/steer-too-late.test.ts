import { expect, it } from '@jest/globals';
import { steeredQuery, steerUpdate, taskWorkflowId } from '../../workflows/contract.ts';
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
      const say = (text: string) => handle.executeUpdate(steerUpdate, { args: [{ text }] });
      const steered = await say('Too late.');
      // Waiting words hold nothing open: other orders still reach the task.
      for (let more = 1; more < 10; more += 1) await say(`word ${more}`);
      await expect(say('one more')).rejects.toMatchObject({
        cause: { message: '10 words wait for the next iteration already' },
      });
      await world.repository.write({ '../go-on': '' });
      await world.sweepEnd();
      expect(await handle.query(steeredQuery, steered)).toMatchObject({ delivered: false });
      expect(await world.markers()).toEqual({ 'AB-1': '*' });
    },
  );
});
