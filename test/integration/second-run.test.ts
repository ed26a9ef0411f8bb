import { expect, it } from '@jest/globals';
import { identityOf } from '../../activities/process-identity.ts';
import { writesAfter } from '../helpers/scripts.ts';
import { withCommandLine } from '../helpers/with-command-line.ts';
import { eventually, task } from '../helpers/with-world.ts';

it('attaches to a run that goes on, refuses other flags, and leaves on Ctrl-C (#9, #10)', async () => {
  const script = `tasks:\n${writesAfter('AB-1', 'one.txt', ['wait: 6'])}`;
  await withCommandLine({ board: task('AB-1', 'First'), script }, async (line) => {
    const first = line.start('run', '--auto-merge');
    const cut = await eventually(
      async () => (await line.ledger()).find(({ action }) => action === 'wait'),
      'the agent at work',
    );
    const viewer = line.start('run');
    await eventually(
      () => Promise.resolve(viewer.stderr().includes('attached to process') || undefined),
      'the viewer',
    );
    const other = await line.run('run', '--max-workers', '9');
    expect(other.code).toBe(26);
    expect(other.stderr).toContain('it has --max-workers 4, you ask for --max-workers 9');

    const pressed = performance.now();
    first.child.kill('SIGINT');
    expect((await first.ended).code).toBe(130);
    expect(performance.now() - pressed).toBeLessThan(5_000);
    expect(await identityOf(cut.pid)).toBeUndefined();
    await viewer.ended;

    const again = await line.run('run', '--auto-merge');
    expect(again.code).toBe(0);
    const turn = (await line.ledger()).filter(({ key }) => key === cut.key);
    expect(turn.filter(({ event }) => event === 'start')).toHaveLength(1);
    expect(new Set(turn.map(({ session }) => session)).size).toBe(1);
    expect(await line.repository.git(['log', '-1', '--format=%s', 'main'])).toBe('AB-1: First');
  });
});
