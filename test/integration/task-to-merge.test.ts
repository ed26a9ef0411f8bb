import { access, readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { findPullRequest, readPullRequestTexts } from '../../config/pull-request-file.ts';
import { sessionsOf } from '../helpers/sessions.ts';
import { task, withWorld } from '../helpers/with-world.ts';

const SCRIPT = `
tasks:
  AB-1:
    execution:
      - - write: { path: hello.txt, content: "hello\\n" }
        - cost: 0.25
        - tick_prd: all
        - result: PASS
`;

it('takes a task from the board to a merged change (#61, #113, #117)', async () => {
  const plan = {
    board: task('AB-1', 'Say "hello" & $more'),
    script: SCRIPT,
    pipeline: 'default' as const,
  };
  await withWorld(plan, async (world) => {
    const { repository, project } = world;
    const before = await repository.git(['for-each-ref', '--format=%(refname)']);
    const view = await world.sweep();

    expect(await world.markers()).toEqual({ 'AB-1': 'x' });
    expect(view.tasks[0]).toMatchObject({ state: 'done', lifecycle: 'merged', costUsd: 0.25 });
    expect(await repository.git(['log', '-1', '--format=%s', 'main'])).toBe(
      'AB-1: Say "hello" & $more',
    );
    expect(await readFile(`${repository.dir}/hello.txt`, 'utf8')).toBe('hello\n');
    expect(await repository.git(['status', '--porcelain'])).toBe('');

    const after = await repository.git(['for-each-ref', '--format=%(refname)']);
    const added = after.split('\n').filter((ref) => !before.split('\n').includes(ref));
    expect(added.filter((ref) => !ref.startsWith('refs/wiggum/'))).toEqual([]);

    const pullRequest = await findPullRequest(project.ralphDir, 'AB-1');
    expect(pullRequest).toMatchObject({ state: 'merged', title: 'AB-1: Say "hello" & $more' });
    const { description } = await readPullRequestTexts(project.ralphDir, pullRequest.number);
    expect(description).toContain('Say "hello" & $more, as the test wants it.');

    const steps = view.tasks[0]?.steps?.map(({ step, result }) => `${step} ${result}`);
    expect(steps).toEqual([
      'execution PASS',
      'summary PASS',
      'audit PASS',
      'test PASS',
      'docs PASS',
      'validation PASS',
    ]);
    // One call of an agent per step: nobody is asked twice when all goes well.
    expect(await sessionsOf(world, 'AB-1')).toHaveLength(6);
    await expect(access(`${view.tasks[0]?.workerDir}/workspace`)).rejects.toThrow();
  });
});
