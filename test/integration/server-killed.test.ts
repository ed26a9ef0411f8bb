import { expect, it } from '@jest/globals';
import { kill, openRuns, startRun, withOwnServer } from '../helpers/with-own-server.ts';

it('starts a killed server again on the same address, with its data', () =>
  withOwnServer(async ({ ensure, status, said }) => {
    const first = await ensure();
    await startRun(first.address, 'survives');
    await kill(first.pid);
    expect(await status()).toMatchObject({ kind: 'stopped', asked: false });

    const second = await ensure();
    expect(second).toMatchObject({ startedByUs: true, address: first.address });
    expect(await openRuns(second.address)).toEqual(['survives']);
    expect(said).toContain(`The Temporal server (pid ${first.pid}) has died; it is started again`);
  }));
