import { describe, expect, it } from '@jest/globals';
import net from 'node:net';
import { choosePorts, freePort, isFree } from '../../../workers/server/ports.ts';

async function withStranger(use: (port: number) => Promise<void>): Promise<void> {
  const stranger = net.createServer();
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  try {
    await use((stranger.address() as net.AddressInfo).port);
  } finally {
    await new Promise((resolve) => stranger.close(resolve));
  }
}

describe('choosePorts', () => {
  it('takes the first pair that nobody holds', async () => {
    const [one, two] = [await freePort(), await freePort()];
    expect(await choosePorts([{ grpc: one, ui: two }])).toEqual({ grpc: one, ui: two });
  });

  it('passes over a pair of which a stranger holds one', () =>
    withStranger(async (taken) => {
      const [one, two, three] = [await freePort(), await freePort(), await freePort()];
      const preferred = [
        { grpc: taken, ui: one },
        { grpc: one, ui: taken },
        { grpc: two, ui: three },
      ];
      expect(await choosePorts(preferred)).toEqual({ grpc: two, ui: three });
    }));

  it('takes free ports when every pair is taken', () =>
    withStranger(async (taken) => {
      const ports = await choosePorts([{ grpc: taken, ui: taken }]);
      expect(ports.grpc).not.toBe(ports.ui);
      expect(await isFree(ports.grpc)).toBe(true);
      expect(await isFree(ports.ui)).toBe(true);
    }));
});
