import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { until } from '../helpers/until.ts';
import { kill } from '../helpers/with-own-server.ts';
import { withRunAtWork } from '../helpers/with-run-at-work.ts';

it(
  'goes after a server that came back at another address',
  () =>
    withRunAtWork(async ({ child, server, repository, go, stderr, ended, ledger }) => {
      const before = await server();
      const stranger = net.createServer((socket) => socket.destroy());
      // The run sleeps meanwhile: it would have its server back before anybody else takes the port.
      child.kill('SIGSTOP');
      await kill(before.pid);
      await takePort(stranger, Number(before.address.split(':')[1]));
      child.kill('SIGCONT');
      try {
        await until('the move is told', () => stderr().includes('now answers at'), 30_000);
        expect((await server()).address).not.toBe(before.address);
        await go();
        expect(await ended).toMatchObject({ code: 0 });
      } finally {
        stranger.close();
      }
      expect(new Set((await ledger()).map(({ session }) => session)).size).toBe(1);
      expect(await repository.git(['show', 'main:one.txt'])).toBe('AB-1\nmore');
      expect(await repository.git(['log', '--format=%s', 'main'])).toBe('AB-1: First\nFirst');
    }),
  120_000,
);

/** The system closes the sockets of a killed process a moment after its end. */
async function takePort(server: net.Server, port: number): Promise<void> {
  server.on('error', () => undefined);
  await until('the port is free', async () => {
    server.listen(port, '127.0.0.1');
    await sleep(50);
    return server.listening;
  });
}
