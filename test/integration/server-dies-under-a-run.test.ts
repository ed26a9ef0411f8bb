import { expect, it } from '@jest/globals';
import { until } from '../helpers/until.ts';
import { kill } from '../helpers/with-own-server.ts';
import { withRunAtWork } from '../helpers/with-run-at-work.ts';

it('starts a server that was killed again, and goes on with the same agent', () =>
  withRunAtWork(async ({ server, repository, go, stderr, ended, ledger }) => {
    const before = await server();
    await kill(before.pid);
    await until('the server is back', () => stderr().includes('answers again'));
    const after = await server();
    expect([after.address, after.pid !== before.pid]).toEqual([before.address, true]);
    await go();

    expect(await ended).toMatchObject({ code: 0 });
    expect(stderr()).toContain('the Temporal server is gone');
    // Neither cut off nor begun again: the agent rode it out.
    const starts = (await ledger()).filter(({ event }) => event === 'start' || event === 'resume');
    expect(starts).toHaveLength(1);
    expect(await repository.git(['show', 'main:one.txt'])).toBe('AB-1\nmore');
    expect(await repository.git(['log', '--format=%s', 'main'])).toBe('AB-1: First\nFirst');
  }));
