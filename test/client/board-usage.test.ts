import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { boardUsage } from '../../client/board-usage.ts';
import type { TaskView } from '../../client/board-view.ts';
import type { Usage } from '../../workflows/domain/usage.ts';
import { resultFiles } from '../helpers/a-record.ts';
import { aTask } from '../helpers/a-view.ts';
import { withRepository, type TestProject } from '../helpers/with-repository.ts';

const TASK = 'system.task-worker';
const one = '.ralph/workers/worker-AB-1-100';
const two = '.ralph/workers/worker-AB-2-200';
const step = { agent: 'test.build', step: 'build' };

async function withRuns(
  use: (project: TestProject, total: (...tasks: TaskView[]) => Promise<Usage>) => Promise<void>,
): Promise<void> {
  await withRepository(async (project) => {
    await project.write({
      // Ended, begun again in the same folder, and at work since.
      ...resultFiles(one, [
        { ...step, epoch: 101, costUsd: 1, turns: 4, tokens: [10, 1], model: 'small' },
        {
          agent: TASK,
          epoch: 100,
          after: 20,
          costUsd: 1,
          turns: 4,
          tokens: [10, 1],
          model: 'small',
        },
        { ...step, epoch: 130, costUsd: 0.5, turns: 2, tokens: [5, 2], model: 'small' },
      ]),
      ...resultFiles(two, [
        { ...step, epoch: 201, costUsd: 2, turns: 6, tokens: [7, 3], model: 'large' },
        {
          agent: TASK,
          epoch: 200,
          after: 20,
          costUsd: 2,
          turns: 6,
          tokens: [7, 3],
          model: 'large',
        },
      ]),
    });
    const total = boardUsage(path.join(project.dir, '.ralph'));
    await use(project, (...tasks) => total(tasks));
  });
}

describe('what a board used', () => {
  it('adds up all task runs, each step once, per model too (#148)', async () => {
    await withRuns(async (_, total) => {
      const usage = await total();
      expect(usage).toMatchObject({ costUsd: 3.5, turns: 12, inputTokens: 22, outputTokens: 6 });
      expect(usage.models['small']).toMatchObject({ inputTokens: 15, costUsd: 1.5 });
      expect(usage.models['large']).toMatchObject({ outputTokens: 3, costUsd: 2 });
    });
  });

  it('takes the word of a task at work for what it used since its last end', async () => {
    await withRuns(async ({ dir }, total) => {
      const workerDir = path.join(dir, one);
      const live = {
        turns: 9,
        costUsd: 0.75,
        inputTokens: 50,
        outputTokens: 5,
        seconds: 3,
        models: {},
      };
      expect(await total(aTask('AB-1', { open: true, workerDir, ...live }))).toMatchObject({
        costUsd: 3.75,
        turns: 19,
      });
      // What has ended tells it in its records already.
      expect(await total(aTask('AB-1', { open: false, workerDir, ...live }))).toMatchObject({
        costUsd: 3.5,
      });
    });
  });

  it('sees a record that came since the last look', async () => {
    await withRuns(async ({ write }, total) => {
      await total();
      await write(
        resultFiles('.ralph/workers/worker-AB-2-200', [{ ...step, epoch: 201, costUsd: 9 }]),
      );
      expect(await total()).toMatchObject({ costUsd: 10.5 });
    });
  });

  it('counts nothing that an agent wrote into the results by itself', async () => {
    await withRuns(async ({ write }, total) => {
      const forged = resultFiles('.ralph/workers/worker-AB-2-200', [
        { ...step, epoch: 999, costUsd: 99 },
      ]);
      const { '.ralph/workers/worker-AB-2-200/records.jsonl': _, ...files } = forged;
      await write(files);
      expect(await total()).toMatchObject({ costUsd: 3.5 });
    });
  });

  it('is nothing where nothing ran', async () => {
    await withRepository(async ({ dir }) => {
      expect(await boardUsage(path.join(dir, '.ralph'))([])).toMatchObject({
        turns: 0,
        costUsd: 0,
      });
    });
  });
});
