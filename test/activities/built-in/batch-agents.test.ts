import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type {
  BuiltInEnd,
  BuiltInOrder,
  BuiltInWait,
} from '../../../activities/built-in/built-in-order.ts';
import { runBuiltIn } from '../../../activities/built-in/run-built-in.ts';
import type { RunPlace } from '../../../workflows/domain/agent.ts';
import { inActivity } from '../../helpers/in-activity.ts';
import { withFolder } from '../../helpers/with-folder.ts';

const ORDER = ['A-1', 'A-2', 'A-3'];

describe('the agents of a batch', () => {
  it.each(['wait-turn', 'signal-done', 'signal-failed'])(
    'pass in a task without a batch: %s',
    async (name) => {
      await withBatch(async ({ run }) => {
        const end = await run('B-1', name);
        expect(end.result).toBe('PASS');
        if (name !== 'wait-turn')
          expect(await readFile(end.report ?? '', 'utf8')).toContain('no batch');
      });
    },
  );

  it('go on in order (#133)', async () => {
    await withBatch(async ({ run, coordination }) => {
      // Looked at again and again by the workflow: no slot of the host is taken meanwhile.
      expect(await run('A-2', 'wait-turn')).toEqual({
        waitsFor: 'A-1, which comes before it in batch batch-1',
        lookAgainSeconds: 10,
      });
      expect(await run('A-1', 'wait-turn')).toEqual({ result: 'PASS' });
      expect(await run('A-1', 'signal-done')).toMatchObject({ result: 'PASS' });
      expect(await run('A-2', 'wait-turn')).toEqual({ result: 'PASS' });
      expect(await run('A-1', 'wait-turn')).toEqual({ result: 'SKIP' });
      expect(await coordination()).toMatchObject({
        batch_id: 'batch-1',
        status: 'executing',
        current_position: 1,
        completed: ['A-1'],
        plan: 'kept',
      });
    });
  });

  it('end with a member that gave up, and name it', async () => {
    await withBatch(async ({ run, coordination }) => {
      expect(await run('A-1', 'signal-failed')).toMatchObject({ result: 'PASS' });
      expect(await run('A-2', 'wait-turn')).toEqual({
        result: 'FAIL',
        detail: 'batch batch-1: the batch has failed at A-1',
      });
      expect(await coordination()).toMatchObject({ status: 'failed', failed: 'A-1' });
    });
  });

  it('never lose an entry to each other, and write each once', async () => {
    await withBatch(async ({ run, coordination, names }) => {
      await Promise.all([...ORDER, ...ORDER].map((task) => run(task, 'signal-done')));
      const { completed, status } = await coordination();
      expect((completed as string[]).toSorted()).toEqual(ORDER);
      expect(status).toBe('complete');
      expect(await names()).toEqual(['coordination.json']);
    });
  });

  it('count their half hour from the beginning of the step, whatever the attempt', async () => {
    await withBatch(async ({ begin, run }) => {
      const longAgo = Math.floor(Date.now() / 1_000) - 31 * 60;
      expect(await begin('A-2', 'wait-turn', longAgo).result).toEqual({
        result: 'FAIL',
        detail: 'batch batch-1: A-1 is still not done after half an hour',
      });
      await run('A-1', 'signal-done');
      expect(await begin('A-2', 'wait-turn', longAgo).result).toEqual({ result: 'PASS' });
    });
  });

  it('name the batch when its lock is not theirs', async () => {
    await withBatch(async ({ run, place }) => {
      const batchDir = path.join(place('A-1').ralphDir, 'batches/batch-1');
      const lock = path.join(batchDir, '.coordination.json.wiggum-lock');
      await writeFile(lock, 'somebody’s file');
      await expect(run('A-1', 'signal-done')).rejects.toMatchObject({ code: 'BATCH_BUSY' });
      expect(await readFile(lock, 'utf8')).toBe('somebody’s file');
    });
  });

  it.each([
    ['a context that is cut off', 'batch-context.json', '{"batch_id": "ba'],
    ['a context that leads elsewhere', 'batch-context.json', '{"batch_id": "../../elsewhere"}'],
    ['a batch that is gone', 'batch-context.json', '{"batch_id": "gone"}'],
    ['a corrupt batch', '../../batches/batch-1/coordination.json', '{"order": 7}'],
  ])('do not merge out of turn, and do not crash, over %s', async (_title, file, text) => {
    await withBatch(async ({ run, place }) => {
      await writeFile(path.join(place('A-1').workerDir, file), text);
      expect(await run('A-1', 'wait-turn')).toMatchObject({
        result: 'FAIL',
        detail: expect.stringMatching(/cannot be read$/) as unknown,
      });
      const { result, report } = await run('A-1', 'signal-done');
      expect(result).toBe('PASS');
      expect(await readFile(report ?? '', 'utf8')).toContain('cannot be read');
      expect(await readFile(path.join(place('A-1').workerDir, file), 'utf8')).toBe(text);
    });
  });
});

describe('runBuiltIn', () => {
  it('knows no other agents', async () => {
    await withBatch(async ({ run }) => {
      await expect(run('A-1', 'nonsense')).rejects.toMatchObject({ code: 'AGENT_MISSING' });
    });
  });
});

type Answer = Partial<BuiltInEnd & BuiltInWait>;

interface World {
  place: (taskId: string) => RunPlace;
  begin: (taskId: string, name: string, epoch?: number) => ReturnType<typeof inActivity<Answer>>;
  run: (taskId: string, name: string) => Promise<Answer>;
  coordination: () => Promise<Record<string, unknown>>;
  /** Files in the batch's folder. */
  names: () => Promise<string[]>;
}

/** A batch of three tasks, and a task that is in none. */
async function withBatch(use: (world: World) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const ralphDir = path.join(folder, '.ralph');
    const batchDir = path.join(ralphDir, 'batches/batch-1');
    const place = (taskId: string): RunPlace => {
      const workerDir = path.join(ralphDir, 'workers', `worker-${taskId}-1700000000`);
      const workspace = path.join(workerDir, 'workspace');
      return { projectDir: folder, ralphDir, workerDir, workspace, taskId, epoch: 1700000000 };
    };
    await mkdir(batchDir, { recursive: true });
    const begun = { batch_id: 'batch-1', total: 3, current_position: 0, status: 'executing' };
    const file = path.join(batchDir, 'coordination.json');
    const rest = { order: ORDER, completed: [], failed: null, plan: 'kept' };
    await writeFile(file, JSON.stringify({ ...begun, ...rest }));
    for (const [position, task_id] of [...ORDER, 'B-1'].entries()) {
      const { workerDir } = place(task_id);
      await mkdir(workerDir, { recursive: true });
      const context = { batch_id: 'batch-1', task_id, position, total: 3 };
      if (task_id !== 'B-1')
        await writeFile(path.join(workerDir, 'batch-context.json'), JSON.stringify(context));
    }
    const now = Math.floor(Date.now() / 1_000);
    const begin = (taskId: string, name: string, epoch = now) => {
      const order: BuiltInOrder = {
        place: place(taskId),
        agent: `workflow.batch-${name}`,
        runId: `${name}-${epoch}`,
        step: name,
        epoch,
        target: 'main',
        title: 'Do it',
      };
      return inActivity<Answer>(() => runBuiltIn(order));
    };
    await use({
      place,
      begin,
      run: (taskId, name) => begin(taskId, name).result,
      coordination: async () => JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>,
      names: () => readdir(batchDir),
    });
  });
}
