import { expect, it } from '@jest/globals';
import { writes } from '../helpers/scripts.ts';
import { task, withWorld } from '../helpers/with-world.ts';

it('starts a dependent only when its dependency is merged (#20)', async () => {
  const board = task('AB-2', 'Second', { needs: 'AB-1' }) + task('AB-1', 'First');
  const script = `tasks:\n${writes('AB-1', 'one.txt')}${writes('AB-2', 'two.txt')}`;
  await withWorld({ board, script }, async (world) => {
    const waiting = await world.sweep({ autoMerge: false });
    expect(await world.markers()).toEqual({ 'AB-1': 'P', 'AB-2': ' ' });
    expect(waiting.tasks.find(({ id }) => id === 'AB-2')?.why).toBe(
      'waits for AB-1, which waits for its merge ([P])',
    );

    await world.sweep({ autoMerge: true });
    expect(await world.markers()).toEqual({ 'AB-1': 'x', 'AB-2': 'x' });
    const starts = (await world.ledger()).filter(({ event }) => event === 'start');
    expect([...new Set(starts.map((entry) => entry.task))]).toEqual(['AB-1', 'AB-2']);
    // The second began from a main that had the first.
    expect(await world.repository.git(['log', '--format=%s', 'main'])).toBe(
      'AB-2: Second\nAB-1: First\nFirst',
    );
  });
});
