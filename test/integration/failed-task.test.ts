import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { writes } from '../helpers/scripts.ts';
import { task, withWorld } from '../helpers/with-world.ts';

const SCRIPT = `tasks:
  AB-1:
    execution:
      - - write: { path: half.txt, content: "half\\n" }
        - report: The service that the task names does not exist.
        - result: FAIL
${writes('AB-3', 'three.txt')}`;

it('marks a task that cannot be done, says why, and ends when nothing can run (#40, #119)', async () => {
  const board =
    task('AB-1', 'Impossible') +
    task('AB-2', 'After it', { needs: 'AB-1' }) +
    task('AB-3', 'Other');
  await withWorld({ board, script: SCRIPT }, async (world) => {
    const view = await world.sweep();
    expect(await world.markers()).toEqual({ 'AB-1': '*', 'AB-2': ' ', 'AB-3': 'x' });
    const [failed, blocked] = view.tasks;
    expect(failed).toMatchObject({ state: 'failed', lifecycle: 'failed' });
    expect(failed?.why).toBe(
      'stopped at execution with FAIL: The service that the task names does not exist.',
    );
    expect(blocked?.why).toBe('waits for AB-1, which failed ([*])');
    // What it had begun is kept, with the reason beside it.
    const workerDir = failed?.workerDir ?? '';
    expect(await readFile(`${workerDir}/workspace/half.txt`, 'utf8')).toBe('half\n');
    expect(await readFile(`${workerDir}/failure.md`, 'utf8')).toContain(
      'stopped at execution with FAIL',
    );
    expect(await world.repository.git(['log', '--format=%s', 'main'])).toBe('AB-3: Other\nFirst');
  });
});
