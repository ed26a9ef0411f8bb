import { expect, it } from '@jest/globals';
import { writes } from '../helpers/scripts.ts';
import { task, withWorld } from '../helpers/with-world.ts';

it('hands a merge conflict back with the files named, and merges the other', async () => {
  const board = task('AB-1', 'One way') + task('AB-2', 'Another way');
  const script = `tasks:\n${writes('AB-1', 'src/app.txt', 'uno\n')}${writes('AB-2', 'src/app.txt', 'eins\n')}`;
  await withWorld({ board, script }, async (world) => {
    const view = await world.sweep();
    expect(Object.values(await world.markers()).sort()).toEqual(['*', 'x']);
    const failed = view.tasks.find(({ marker }) => marker === '*');
    expect(failed?.why).toBe('merge conflict in src/app.txt');
    expect(await world.repository.git(['rev-list', '--count', 'main'])).toBe('2');
    expect(await world.repository.git(['status', '--porcelain'])).toBe('');
  });
});
