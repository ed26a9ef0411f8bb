import { expect, it } from '@jest/globals';
import { identityOf } from '../../activities/process-identity.ts';
import { writesAfter } from '../helpers/scripts.ts';
import { withCommandLine } from '../helpers/with-command-line.ts';
import { eventually, task } from '../helpers/with-world.ts';

it('goes on in the background until it is really stopped (#12)', async () => {
  const script = `tasks:\n${writesAfter('AB-1', 'one.txt', ['wait: 20'])}`;
  await withCommandLine({ board: task('AB-1', 'First'), script }, async (line) => {
    const detached = await line.run('run', '--detach', '--json');
    expect(detached.code).toBe(0);
    const { pid } = JSON.parse(detached.stdout) as { pid: number };
    const { pid: agent } = await eventually(
      async () => (await line.ledger()).find(({ action }) => action === 'wait'),
      'the agent at work',
    );
    const stopped = await line.run('stop');
    expect(stopped.code).toBe(0);
    expect(await identityOf(pid)).toBeUndefined();
    expect(await identityOf(agent)).toBeUndefined();
    expect((await line.run('stop')).code).toBe(1);
    const status = await line.run('status', '--json');
    expect(JSON.parse(status.stdout)).toMatchObject({ tasks: [{ id: 'AB-1', marker: '=' }] });
  });
});
