import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { writes, writesAfter } from '../helpers/scripts.ts';
import { eventually, task, withWorld } from '../helpers/with-world.ts';

it('does no merged task again when an old copy of the board is saved', async () => {
  const board = task('AB-1', 'First') + task('AB-2', 'Second', { needs: 'AB-1' });
  const script = `tasks:\n${writes('AB-1', 'one.txt')}${writesAfter('AB-2', 'two.txt', ['wait: 3'])}`;
  await withWorld({ board, script }, async (world) => {
    const file = `${world.project.ralphDir}/kanban.md`;
    await world.beginSweep();
    const old = await eventually(async () => {
      const text = await readFile(file, 'utf8');
      return text.includes('[=] **[AB-1]**') ? text : undefined;
    }, 'the first task in progress');
    await eventually(
      async () =>
        (await world.ledger()).find(({ task: id, action }) => id === 'AB-2' && action === 'wait'),
      'the second task at work',
    );
    // An editor that was opened before saves what it has, with one more line.
    await writeFile(file, `${old.replace('- [ ] **[AB-2]**', '- [=] **[AB-2]**')}\nA note.\n`);
    await world.sweepEnd();
    await eventually(
      async () => ((await world.markers())['AB-1'] === 'x' ? true : undefined),
      'the marker of the first task',
    );
    expect(await world.markers()).toEqual({ 'AB-1': 'x', 'AB-2': 'x' });
    expect(await readFile(file, 'utf8')).toContain('A note.');
    expect(await world.repository.git(['log', '--format=%s', 'main'])).toBe(
      'AB-2: Second\nAB-1: First\nFirst',
    );
  });
});
