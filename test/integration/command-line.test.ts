import { expect, it } from '@jest/globals';
import { writes } from '../helpers/scripts.ts';
import { withCommandLine } from '../helpers/with-command-line.ts';
import { task } from '../helpers/with-world.ts';

it('leads a person from the board to a merge (#117, #122)', async () => {
  const board = task('AB-1', 'First') + task('AB-2', 'Second', { needs: 'AB-1' });
  const script = `tasks:\n${writes('AB-1', 'one.txt')}${writes('AB-2', 'two.txt')}`;
  await withCommandLine({ board, script }, async ({ run, repository }) => {
    const swept = await run('run');
    expect(swept.code).toBe(0);
    expect(swept.stdout).toContain('[P] AB-1 needs you');

    const status = await run('status', '--json');
    const { tasks } = JSON.parse(status.stdout) as { tasks: Record<string, unknown>[] };
    expect(tasks).toMatchObject([
      { id: 'AB-1', title: 'First', marker: 'P', state: 'needs-you', step: null },
      { id: 'AB-2', marker: ' ', why: 'waits for AB-1, which waits for its merge ([P])' },
    ]);

    const list = await run('pr', 'list', '--json');
    expect(JSON.parse(list.stdout)).toMatchObject({
      pullRequests: [{ number: 1, taskId: 'AB-1', state: 'open' }],
    });
    expect((await run('pr', 'view', 'AB-1')).stdout).toContain('AB-1: First');

    const merged = await run('pr', 'merge', 'AB-1');
    expect(merged.code).toBe(0);
    expect(await repository.git(['log', '-1', '--format=%s', 'main'])).toBe('AB-1: First');
    expect((await run('pr', 'merge', 'AB-1')).stdout).toContain('is merged already');
    expect((await run('logs', 'AB-1')).stdout).toContain('one.txt');
  });
});
