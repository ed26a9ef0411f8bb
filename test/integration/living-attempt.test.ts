import { expect, it } from '@jest/globals';
import { failDeadActivities, failDeadAttempts } from '../../workers/fail-dead-attempts.ts';
import { writesAfter } from '../helpers/scripts.ts';
import { eventually, task, withWorld } from '../helpers/with-world.ts';

it('leaves agents and checks alone that a living process works on', async () => {
  const plan = {
    board: task('AB-1', 'First'),
    script: `tasks:\n${writesAfter('AB-1', 'one.txt', ['wait_for: ../../../../../agent-goes'])}`,
    config: {
      checks: [
        'echo x >> ../../../../../checks; while [ ! -e ../../../../../go ]; do sleep 0.1; done',
      ],
    },
  };
  await withWorld(plan, async (world) => {
    const { client, project, repository } = world;
    const said: string[] = [];
    const report = { client, project, log: (line: string) => void said.push(line) };
    const servesSince = new Date().toISOString();
    const reportAll = async () => {
      await failDeadActivities(report);
      await failDeadAttempts(report, servesSince);
    };
    await world.beginSweep();
    await eventually(
      async () => (await world.ledger()).find(({ action }) => action === 'wait_for'),
      'the agent at work',
    );
    await reportAll();
    await repository.write({ '../agent-goes': '' });
    const checks = () => repository.git(['hash-object', '../checks']).catch(() => undefined);
    await eventually(checks, 'the check at work');
    const begun = await checks();
    await reportAll();
    await repository.write({ '../go': '' });
    await world.sweepEnd();

    expect(said).toEqual([]);
    const starts = (await world.ledger()).filter(
      ({ event }) => event === 'start' || event === 'resume',
    );
    expect(starts).toHaveLength(1);
    expect(await checks()).toBe(begun);
    expect(await world.markers()).toEqual({ 'AB-1': 'x' });
  });
});
