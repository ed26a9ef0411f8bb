import { expect, it } from '@jest/globals';
import { watchServer } from '../../workers/server/watch-server.ts';
import { until } from '../helpers/until.ts';
import { kill, withOwnServer, type OwnServer } from '../helpers/with-own-server.ts';

async function withWatch(
  { environment, log, ensure }: OwnServer,
  embedded: boolean,
  use: (watched: { pid: number; down: string[]; up: string[] }) => Promise<void>,
): Promise<void> {
  const { address, pid } = await ensure();
  const [down, up]: [string[], string[]] = [[], []];
  const watch = watchServer(
    { address, embedded, connectOptions: { address } },
    { environment, log, onDown: (why) => down.push(why), onUp: (where) => up.push(where) },
  );
  try {
    await use({ pid, down, up });
  } finally {
    await watch.stop();
  }
}

it('starts our server again when it dies, and says so', () =>
  withOwnServer((own) =>
    withWatch(own, true, async ({ pid, down, up }) => {
      await kill(pid);
      await until('the server is back', () => up.length > 0);
      expect(down).toHaveLength(1);
      const status = await own.status();
      expect(status).toMatchObject({ kind: 'running', info: { address: up[0] } });
      expect(own.said).toContain(`The Temporal server at ${up[0]} answers again`);
    }),
  ));

it('waits for somebody to start a server that was stopped on purpose', () =>
  withOwnServer((own) =>
    withWatch(own, true, async ({ down, up }) => {
      await own.stop();
      await until('the end is told', () => own.said.some((line) => line.includes('was stopped;')));
      expect(await own.status()).toMatchObject({ kind: 'stopped', asked: true });
      expect([down.length, up.length]).toEqual([1, 0]);
      await own.ensure();
      await until('the server is back', () => up.length > 0);
    }),
  ));

it('does not start a server that is not ours, but waits for it', () =>
  withOwnServer((own) =>
    withWatch(own, false, async ({ pid, down, up }) => {
      await kill(pid);
      await until('the end is told', () =>
        own.said.some((line) => line.includes('waiting for it')),
      );
      expect(await own.status()).toMatchObject({ kind: 'stopped' });
      expect([down.length, up.length]).toEqual([1, 0]);
      await own.ensure();
      await until('the server is back', () => up.length > 0);
    }),
  ));
