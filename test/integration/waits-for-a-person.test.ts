import { expect, it } from '@jest/globals';
import { askTask } from '../../client/ask.ts';
import { mergeUpdate } from '../../workflows/contract.ts';
import { writes } from '../helpers/scripts.ts';
import { eventually, task, withWorld } from '../helpers/with-world.ts';

it('merges nothing unasked, and at once when a person says so (#122)', async () => {
  const script = `tasks:\n${writes('AB-1', 'one.txt')}`;
  await withWorld({ board: task('AB-1', 'First'), script }, async (world) => {
    const { client, project, repository } = world;
    const view = await world.sweep({ autoMerge: false });
    expect(view.tasks[0]).toMatchObject({ marker: 'P', state: 'needs-you', needsHuman: true });
    expect(view.tasks[0]?.why).toContain('wiggum pr merge AB-1');
    expect(await repository.git(['log', '--format=%s', 'main'])).toBe('First');

    await askTask(client, { project, task: 'AB-1', update: mergeUpdate, argument: { by: 'me' } });
    await world.until('AB-1', ({ state }) => state === 'merged');
    expect(await repository.git(['log', '-1', '--format=%s', 'main'])).toBe('AB-1: First');
    // No sweep goes on: the board writes the marker a moment after the task has told it.
    await eventually(async () => (await world.markers())['AB-1'] === 'x' || undefined, '[x]');
  });
});
