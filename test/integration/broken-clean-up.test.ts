import { rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { askTask } from '../../client/ask.ts';
import { mergeUpdate } from '../../workflows/contract.ts';
import { writes } from '../helpers/scripts.ts';
import { eventually, task, withWorld } from '../helpers/with-world.ts';

it('marks a merged task [x], also when its workspace cannot be cleaned up (#120)', async () => {
  const script = `tasks:\n${writes('AB-1', 'one.txt')}`;
  await withWorld({ board: task('AB-1', 'First'), script }, async (world) => {
    const { client, project, repository } = world;
    await world.sweep({ autoMerge: false });
    const { workerDir } = await world.until('AB-1', (status) => status.workerDir !== undefined);
    await rm(path.join(workerDir ?? '', 'repo.git'), { recursive: true });

    await askTask(client, { project, task: 'AB-1', update: mergeUpdate, argument: { by: 'me' } });
    await eventually(async () => (await world.markers())['AB-1'] === 'x' || undefined, '[x]');
    expect(await repository.git(['log', '-1', '--format=%s', 'main'])).toBe('AB-1: First');
    const status = await world.until('AB-1', ({ state }) => state === 'merged');
    expect(status.why).toContain('was left');
  });
});
