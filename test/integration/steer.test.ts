import { expect, it } from '@jest/globals';
import {
  steeredQuery,
  steerSignal,
  steerUpdate,
  taskWorkflowId,
} from '../../workflows/contract.ts';
import { sessionsOf } from '../helpers/sessions.ts';
import { ONE_STEP, task, withWorld } from '../helpers/with-world.ts';

const PIPELINE = {
  name: 'two-rounds',
  steps: [{ ...ONE_STEP.steps[0], config: { max_iterations: 3 } }],
};
const SCRIPT = `tasks:
  AB-1:
    execution:
      - iterations:
          - - write: { path: one.txt, content: "a\\n" }
            - wait_for: '{{project_dir}}/../go-on'
            - max_turns: true
          - - tick_prd: all
`;

it("puts a person's words into the next iteration and tells when they were heard (#92)", async () => {
  await withWorld(
    { board: task('AB-1', 'Work'), script: SCRIPT, pipeline: PIPELINE },
    async (world) => {
      await world.beginSweep();
      await world.until('AB-1', ({ iteration }) => iteration === 0);
      const handle = world.client.workflow.getHandle(taskWorkflowId(world.project.id, 'AB-1'));
      const wish = { text: 'Use the {{parser}} in lib/.\nNot a new one.', by: 'anna' };
      const steered = await handle.executeUpdate(steerUpdate, { args: [wish] });
      expect(await handle.query(steeredQuery, steered)).toBeNull();
      await handle.signal(steerSignal, { text: 'And be quick.' });
      await expect(
        handle.executeUpdate(steerUpdate, { args: [{ text: '  ' }] }),
      ).rejects.toMatchObject({
        cause: { message: 'guidance is a text of 1 to 16000 characters' },
      });
      await world.repository.write({ '../go-on': '' });

      await world.sweepEnd();
      expect(await handle.query(steeredQuery, steered)).toEqual({
        delivered: true,
        where: 'execution, iteration 2',
      });
      const work = (await sessionsOf(world, 'AB-1')).filter(({ purpose }) => purpose === 'work');
      expect(work[0]?.prompt).not.toContain('parser');
      expect(work[1]?.prompt).toContain(wish.text);
      expect(work[1]?.prompt).toContain('And be quick.');
    },
  );
});
