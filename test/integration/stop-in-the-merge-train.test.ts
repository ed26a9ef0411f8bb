import { expect, it } from '@jest/globals';
import { askTask } from '../../client/ask.ts';
import { abortUpdate } from '../../workflows/contract.ts';
import { withBlockedTrain } from '../helpers/with-blocked-train.ts';
import { eventually } from '../helpers/with-world.ts';

it('ends a task at once that waits behind a merge that waits, and never merges it (#11)', async () => {
  await withBlockedTrain(async (world) => {
    const { client, project, repository } = world;
    const argument = { by: 'me' };
    await askTask(client, { project, task: 'AB-2', update: abortUpdate, argument });
    await eventually(async () => (await world.markers())['AB-2'] === '*' || undefined, '[*]');
    // The one before it stands where it stood.
    expect(await world.markers()).toEqual({ 'AB-1': 'P', 'AB-2': '*' });

    await repository.git(['checkout', '--quiet', '--', 'README.md']);
    const view = await world.sweepEnd();
    expect(view.tasks[1]).toMatchObject({ marker: '*', why: 'aborted by me' });
    expect(await world.markers()).toEqual({ 'AB-1': 'x', 'AB-2': '*' });
    expect(await repository.git(['log', '--format=%s', 'main'])).toBe('AB-1: First\nFirst');
  });
});
