import { expect, it } from '@jest/globals';
import { writes } from '../helpers/scripts.ts';
import { task, withWorld } from '../helpers/with-world.ts';

it('lets a merge wait while the checkout has changes, and goes on when it is clean', async () => {
  const script = `tasks:\n${writes('AB-1', 'README.md', 'theirs\n')}`;
  await withWorld({ board: task('AB-1', 'First'), script }, async (world) => {
    const { repository } = world;
    await repository.write({ 'README.md': 'mine, not committed\n' });
    await world.beginSweep();
    const { why } = await world.until('AB-1', (status) => status.why.includes('merge waits'));
    expect(why).toContain('README.md');
    expect(await repository.git(['log', '--format=%s', 'main'])).toBe('First');

    await repository.git(['checkout', '--quiet', '--', 'README.md']);
    await world.sweepEnd();
    expect(await world.markers()).toEqual({ 'AB-1': 'x' });
    expect(await repository.git(['show', 'HEAD:README.md'])).toBe('theirs');
    expect(await repository.git(['status', '--porcelain'])).toBe('');
  });
});
