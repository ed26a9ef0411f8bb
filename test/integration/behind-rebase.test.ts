import { readdir } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { writes } from '../helpers/scripts.ts';
import { task, withWorld } from '../helpers/with-world.ts';

it('rebases a branch that fell behind and runs the checks again', async () => {
  const board = task('AB-1', 'One') + task('AB-2', 'Two');
  const script = `tasks:\n${writes('AB-1', 'one.txt')}${writes('AB-2', 'two.txt')}`;
  await withWorld({ board, script, config: { checks: ['test -f README.md'] } }, async (world) => {
    const view = await world.sweep();
    expect(await world.markers()).toEqual({ 'AB-1': 'x', 'AB-2': 'x' });
    // A straight line: the second stands on the first.
    expect(await world.repository.git(['rev-list', '--merges', '--count', 'main'])).toBe('0');
    expect(await world.repository.git(['ls-tree', '--name-only', 'main'])).toMatch(/one[^]*two/);
    const logs = await Promise.all(view.tasks.map(({ workerDir }) => readdir(`${workerDir}/logs`)));
    expect(logs.flat().filter((name) => name.includes('after-rebase'))).not.toEqual([]);
  });
});
