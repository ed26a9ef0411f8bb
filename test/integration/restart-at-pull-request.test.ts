import { expect, it } from '@jest/globals';
import { askTask } from '../../client/ask.ts';
import { mergeUpdate, restartUpdate } from '../../workflows/contract.ts';
import { eventually, task, withWorld } from '../helpers/with-world.ts';

const SCRIPT = `tasks:
  AB-1:
    execution:
      - - write: { path: one.txt, content: "one\\n" }
        - tick_prd: all
        - result: PASS
      - - wait_for: '{{project_dir}}/../go'
        - append: { path: one.txt, content: "two\\n" }
        - tick_prd: all
        - result: PASS
`;

it('merges nothing of a restarted task before its new pull request, not even when asked (#122)', async () => {
  await withWorld({ board: task('AB-1', 'First'), script: SCRIPT }, async (world) => {
    const { client, project, repository } = world;
    const argument = { by: 'me' };
    const merge = () => askTask(client, { project, task: 'AB-1', update: mergeUpdate, argument });
    const view = await world.sweep({ autoMerge: false });
    expect(view.tasks[0]).toMatchObject({ marker: 'P', needsHuman: true });

    await askTask(client, { project, task: 'AB-1', update: restartUpdate, argument });
    await eventually(
      async () => (await world.ledger()).find(({ action }) => action === 'wait_for'),
      'the agent at work again',
    );
    await expect(merge()).rejects.toThrow('AB-1 has no pull request that waits');
    await repository.write({ '../go': '' });
    await world.until('AB-1', ({ pullRequest }) => pullRequest !== undefined);
    // What was asked for too early is not done later.
    await world.until('AB-1', ({ needsHuman }) => needsHuman);
    expect(await repository.git(['log', '--format=%s', 'main'])).toBe('First');

    await merge();
    await eventually(async () => (await world.markers())['AB-1'] === 'x' || undefined, '[x]');
    expect(await repository.git(['show', 'main:one.txt'])).toBe('one\ntwo');
  });
});
