import { describe, expect, it } from '@jest/globals';
import path from 'node:path';
import { findKnownTask } from '../../client/known-task.ts';
import { aBoard } from '../helpers/a-board.ts';
import { withRepository } from '../helpers/with-repository.ts';

async function find(wanted: string): Promise<string> {
  let found = '';
  await withRepository(async ({ dir, write }) => {
    await write({
      '.ralph/kanban.md': aBoard().withTask('AB-1').withTask('AB-20').text(),
      '.ralph/workers/worker-AB-1-1700000001/prd.md': '',
      '.ralph/workers/worker-AB-1-1700000002/prd.md': '',
      '.ralph/workers/worker-GONE-7-1700000003/prd.md': '',
    });
    const { id, run } = await findKnownTask(path.join(dir, '.ralph'), wanted);
    found = `${id} ${run?.epoch ?? 'never ran'}`;
  });
  return found;
}

describe('a task that a person names', () => {
  it.each([
    ['AB-1', 'AB-1 1700000002'],
    ['ab-2', 'AB-20 never ran'],
    ['gone', 'GONE-7 1700000003'],
    ['worker-AB-1-1700000001', 'AB-1 1700000001'],
    ['1-1700000001', 'AB-1 1700000001'],
    ['0003', 'GONE-7 1700000003'],
  ])(
    'is found by a whole id or a part of it, of task or worker: %s (#5)',
    async (wanted, found) => {
      expect(await find(wanted)).toBe(found);
    },
  );

  it.each([
    ['AB', /matches several tasks: AB-1, AB-20/],
    ['worker-AB-1', /matches several tasks: worker-AB-1-1700000001, worker-AB-1-1700000002/],
    ['XY', /No task matches "XY"/],
  ])('is refused when %s fits none or several (#5)', async (wanted, message) => {
    await expect(find(wanted)).rejects.toMatchObject({
      code: 'TASK_UNKNOWN',
      message: expect.stringMatching(message),
    });
  });
});
