import { writes, writesAfter } from './scripts.ts';
import { task, withWorld, type World } from './with-world.ts';

const SCRIPT = [
  'tasks:\n',
  writes('AB-1', 'README.md', 'theirs\n'),
  writesAfter('AB-2', 'two.txt', ["wait_for: '{{project_dir}}/../go'"]),
].join('');
const BOARD = task('AB-1', 'First') + task('AB-2', 'Second');

/** A world in which AB-1 cannot be merged because README.md is changed, and AB-2 waits behind it. */
export async function withBlockedTrain(live: (world: World) => Promise<void>): Promise<void> {
  await withWorld({ board: BOARD, script: SCRIPT }, async (world) => {
    await world.repository.write({ 'README.md': 'mine, not committed\n' });
    await world.beginSweep();
    await world.until('AB-1', ({ why }) => why.includes('merge waits'));
    await world.repository.write({ '../go': '' });
    await world.until('AB-2', ({ why }) => why.includes('AB-1 is before it'));
    await live(world);
  });
}
