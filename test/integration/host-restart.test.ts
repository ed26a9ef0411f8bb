import { expect, it } from '@jest/globals';
import { writesAfter } from '../helpers/scripts.ts';
import { eventually, task, withWorld } from '../helpers/with-world.ts';

it('goes on in the same session after an orderly stop, with no attempt spent (#10, #64)', async () => {
  const script = `tasks:\n${writesAfter('AB-1', 'one.txt', ['wait: 3', 'append: { path: one.txt, content: "more\\n" }'])}`;
  await withWorld({ board: task('AB-1', 'First'), script }, async (world) => {
    await world.beginSweep();
    const cut = await eventually(
      async () => (await world.ledger()).find(({ action }) => action === 'wait'),
      'the agent at work',
    );
    await world.restartHost();
    const view = await world.sweepEnd();

    const turn = (await world.ledger()).filter(({ key }) => key === cut.key);
    expect(turn.filter(({ event }) => event === 'start')).toHaveLength(1);
    expect(turn.filter(({ event }) => event === 'resume')).toHaveLength(1);
    expect(new Set(turn.map(({ session }) => session)).size).toBe(1);
    const done = turn.flatMap(({ event, number }) => (event === 'step' ? [number] : []));
    expect(done).toEqual([0, 1, 1, 2, 3, 4]);
    expect(view.tasks[0]?.steps).toMatchObject([{ step: 'execution', visit: 1, iterations: 1 }]);
    expect(await world.repository.git(['show', 'main:one.txt'])).toBe('AB-1\nmore');
  });
});
