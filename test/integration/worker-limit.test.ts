import { expect, it } from '@jest/globals';
import { writesAfter } from '../helpers/scripts.ts';
import { eventually, task, withWorld } from '../helpers/with-world.ts';

it('never has more tasks at work than it may, also across a restart (#41)', async () => {
  const ids = ['AB-1', 'AB-2', 'AB-3'];
  const board = ids.map((id) => task(id, id)).join('');
  const script = `tasks:\n${ids.map((id) => writesAfter(id, `${id}.txt`, ['wait: 0.7'])).join('')}`;
  await withWorld({ board, script, settings: { maxWorkers: 1 } }, async (world) => {
    await world.beginSweep();
    await eventually(
      async () => (await world.ledger()).find(({ action }) => action === 'wait'),
      'the first agent at work',
    );
    await world.restartHost();
    await world.sweepEnd();
    expect(await world.markers()).toEqual({ 'AB-1': 'x', 'AB-2': 'x', 'AB-3': 'x' });
    // Agents of one task stand in the ledger in one block: no other came between.
    const tasks = (await world.ledger()).map((entry) => entry.task);
    const blocks = tasks.filter((id, at) => id !== tasks[at - 1]);
    expect(blocks).toEqual(ids);
  });
});
