import { expect, it } from '@jest/globals';
import net from 'node:net';
import { openRuns, startRun, withOwnServer } from '../helpers/with-own-server.ts';

const portOf = (address: string) => Number(address.split(':')[1]);

it('takes other ports when a stranger holds its own, and keeps them', () =>
  withOwnServer(async ({ ensure, stop, said }) => {
    const first = await ensure();
    await startRun(first.address, 'moves');
    await stop();

    const stranger = net.createServer().listen(portOf(first.address), '127.0.0.1');
    const usual = net.createServer().listen(7233, '127.0.0.1');
    usual.on('error', () => undefined); // another stranger has it: as good
    try {
      const second = await ensure();
      expect(second.address).not.toBe(first.address);
      expect(portOf(second.address)).not.toBe(7233);
      expect(await openRuns(second.address)).toEqual(['moves']);
      expect(said).toContainEqual(
        expect.stringMatching(
          new RegExp(
            `^Another program uses port ${portOf(first.address)} or \\d+; the server takes`,
          ),
        ),
      );
      await stop();
      expect((await ensure()).address).toBe(second.address);
    } finally {
      stranger.close();
      usual.close();
    }
  }));
