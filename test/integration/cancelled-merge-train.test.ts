import { expect, it } from '@jest/globals';
import { mergeWorkflowId } from '../../workflows/contract.ts';
import { withBlockedTrain } from '../helpers/with-blocked-train.ts';

it('leaves no task hanging when somebody cancels a merge train in the Temporal UI', async () => {
  await withBlockedTrain(async (world) => {
    const { client, project, repository } = world;
    await client.workflow.getHandle(mergeWorkflowId(project.id, 'main')).cancel();
    const view = await world.sweepEnd();
    expect(view.tasks.map(({ marker, why }) => [marker, why])).toEqual([
      ['*', 'the merge train was cancelled'],
      ['*', 'the merge train was cancelled'],
    ]);
    expect(await repository.git(['log', '--format=%s', 'main'])).toBe('First');
    expect(await repository.git(['diff', '--name-only'])).toBe('README.md');
  });
});
