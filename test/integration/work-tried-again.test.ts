import { expect, it } from '@jest/globals';
import { watchBoard } from '../../client/watch-board.ts';
import { taskWorkflowId } from '../../workflows/contract.ts';
import { withCommandLine } from '../helpers/with-command-line.ts';
import { eventually, task, withWorld, type World } from '../helpers/with-world.ts';

const BOARD = task('AB-1', 'First');
const LEAVES_A_SPOILT_LEASE = `
tasks:
  AB-1:
    execution:
      - iterations:
          - - run: 'mkdir -p {{worker_dir}}/leases/x/attempt-1 && echo spoilt > {{worker_dir}}/leases/x/attempt-1/lease.json'
          - - result: PASS
`;

it('tells why the work of a task is tried again, and that it was paused (#4)', async () => {
  await withWorld({ board: BOARD, script: LEAVES_A_SPOILT_LEASE }, async (world) => {
    const { client, project } = world;
    await world.beginSweep();
    const tried = await whyOnceItTells(world, 'tries again');
    expect(tried).toMatch(/ · tries again \(attempt \d+\): .*lease\.json cannot be read/);

    await client.workflowService.pauseActivity({
      namespace: client.options.namespace,
      execution: { workflowId: taskWorkflowId(project.id, 'AB-1') },
      type: 'runAgent',
    });
    const paused = await whyOnceItTells(world, 'paused');
    expect(paused).toMatch(/ · runAgent was paused in Temporal .*lease\.json cannot be read/);
  });
});

it('tells it in status, and with the whole path in inspect worker (#4)', async () => {
  await withCommandLine({ board: BOARD, script: LEAVES_A_SPOILT_LEASE }, async (line) => {
    line.start('run');
    const status = await eventually(async () => {
      const { stdout } = await line.run('status');
      return stdout.includes('tries again') ? stdout : undefined;
    }, 'the reason in status');
    expect(status).toMatch(/tries again \(attempt \d+\): leases\/x\/attempt-1\/lease\.json/);
    const { stdout } = await line.run('inspect', 'worker', 'AB-1');
    expect(stdout).toMatch(/why .*tries again \(attempt \d+\): \/.*\/lease\.json cannot be read/);
  });
});

/** Looks as `status` does: each time for the first time. */
function whyOnceItTells({ client, project }: World, wanted: string): Promise<string> {
  return eventually(async () => {
    const seen = await watchBoard(client, project.id)();
    const why = seen.kind === 'view' ? seen.view.tasks[0]?.why : undefined;
    return why?.includes(wanted) ? why : undefined;
  }, wanted);
}
