import { expect, it } from '@jest/globals';
import { writes } from '../helpers/scripts.ts';
import { task, withWorld } from '../helpers/with-world.ts';

it('names the members of a cycle, starts none of them, and works off the rest (#35)', async () => {
  const board =
    task('AB-1', 'One', { needs: 'AB-2' }) +
    task('AB-2', 'Two', { needs: 'AB-1' }) +
    task('AB-3', 'Three', { needs: 'AB-3' }) +
    task('AB-4', 'Four');
  await withWorld({ board, script: `tasks:\n${writes('AB-4', 'four.txt')}` }, async (world) => {
    const view = await world.sweep();
    expect(await world.markers()).toEqual({ 'AB-1': ' ', 'AB-2': ' ', 'AB-3': ' ', 'AB-4': 'x' });
    expect(view.cycles).toEqual([['AB-1', 'AB-2'], ['AB-3']]);
    expect(view.tasks.map(({ why }) => why).slice(0, 3)).toEqual([
      'never starts: AB-1 and AB-2 depend on each other',
      'never starts: AB-1 and AB-2 depend on each other',
      'never starts: it depends on itself',
    ]);
  });
});
