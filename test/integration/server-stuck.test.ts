import { expect, it } from '@jest/globals';
import { openRuns, startRun, withOwnServer } from '../helpers/with-own-server.ts';

it(
  'ends a server that lives but does not answer, and starts another',
  () =>
    withOwnServer(async ({ ensure, status, said }) => {
      const first = await ensure();
      await startRun(first.address, 'waits');
      process.kill(first.pid, 'SIGSTOP');
      expect(await status()).toMatchObject({ kind: 'not-answering', info: { pid: first.pid } });

      const second = await ensure();
      expect(second.pid).not.toBe(first.pid);
      expect(await openRuns(second.address)).toEqual(['waits']);
      expect(said).toContainEqual(expect.stringContaining(`(pid ${first.pid}) does not answer`));
    }),
  60_000,
);
