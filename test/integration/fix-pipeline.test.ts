import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { mergeWorkflowId } from '../../workflows/contract.ts';
import { task, withWorld } from '../helpers/with-world.ts';

const PIPELINE = {
  name: 'fix-like',
  steps: [
    { id: 'execution', agent: 'engineering.software-engineer', max: 2, commit_after: true },
    {
      id: 'sync-main',
      agent: 'workflow.git-sync-main',
      max: 3,
      on_max: 'abort',
      on_result: {
        FAIL: {
          id: 'resolve',
          agent: 'engineering.git-conflict-resolver',
          max: 3,
          on_max: 'abort',
          on_result: { PASS: { jump: 'test-run' }, FAIL: { jump: 'abort' } },
        },
      },
    },
    { id: 'test-run', agent: 'engineering.test-runner', max: 3, on_max: 'abort', readonly: true },
    {
      id: 'commit-push',
      agent: 'workflow.git-commit-push',
      max: 2,
      on_max: 'abort',
      on_result: { FAIL: { jump: 'sync-main' } },
    },
    {
      id: 'merge',
      agent: 'workflow.pr-merge',
      max: 2,
      on_max: 'abort',
      on_result: { FAIL: { jump: 'sync-main' } },
    },
  ],
};

const SCRIPT = `tasks:
  AB-1:
    execution:
      - - write: { path: src/app.txt, content: "eins\\n" }
        - wait_for: '{{worker_dir}}/go'
        - tick_prd: all
        - result: PASS
    resolve:
      - - run: grep -q '^<<<<<<< ' src/app.txt
        - write: { path: src/app.txt, content: "eins und uno\\n" }
        - result: PASS
    test-run:
      - - run: grep -q 'eins und uno' src/app.txt
        - write: { path: left-by-a-test.txt, content: "must vanish\\n" }
        - result: PASS
`;

it('syncs, resolves, tests, pushes and merges by the steps of a pipeline, once (#131)', async () => {
  const board = task('AB-1', 'One way');
  await withWorld({ board, script: SCRIPT, pipeline: PIPELINE }, async (world) => {
    await world.beginSweep({ autoMerge: false });
    const { workerDir = '' } = await world.until(
      'AB-1',
      ({ step, workerDir }) => step === 'execution' && workerDir !== undefined,
    );
    await world.repository.commit('Another way', { 'src/app.txt': 'uno\n', 'other.txt': 'x\n' });
    await writeFile(path.join(workerDir, 'go'), '');
    const view = await world.sweepEnd();
    const road = view.tasks[0]?.steps?.map(({ step, result }) => `${step} ${result}`);
    expect(road).toEqual([
      'execution PASS',
      'sync-main FAIL',
      'resolve PASS',
      'test-run PASS',
      'commit-push PASS',
      'merge PASS',
    ]);
    expect(await world.markers()).toEqual({ 'AB-1': 'x' });
    const train = world.client.workflow.getHandle(mergeWorkflowId(world.project.id, 'main'));
    expect((await train.describe()).status.name).toBe('COMPLETED');
    const { git } = world.repository;
    expect(await git(['log', '--format=%s', 'main'])).toBe('AB-1: One way\nAnother way\nFirst');
    expect(await git(['show', '--name-only', '--format=', 'main'])).toBe('src/app.txt');
    expect(await git(['show', 'main:src/app.txt'])).toBe('eins und uno');
    expect(await git(['status', '--porcelain'])).toBe('');
    const started = (await world.ledger()).filter(({ event }) => event === 'start');
    expect(started.map(({ step }) => step)).toEqual(['execution', 'resolve', 'test-run']);
  });
});
