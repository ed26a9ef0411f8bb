import { expect, it } from '@jest/globals';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { findTemporal } from '../../workers/server/find-program.ts';
import { freePort } from '../../workers/server/ports.ts';
import { writeRecord } from '../../workers/server/server-record.ts';
import { writeProgram } from '../helpers/with-folder.ts';
import { openRuns, startRun, withOwnServer, type OwnServer } from '../helpers/with-own-server.ts';

it("never takes another user's server on the wanted port for its own", () =>
  withOwnServer((quick) =>
    withOwnServer(async (slow) => {
      const ports = { grpc: await freePort(), ui: await freePort() };
      await Promise.all([quick, slow].map((user) => usedThem(user, ports)));
      slow.environment['WIGGUM_TEMPORAL_CLI'] = await slowProgram(slow);

      const [first, second] = await Promise.all([quick.ensure(), slow.ensure()]);
      expect(first.address).toBe(`127.0.0.1:${ports.grpc}`);
      expect(second.address).not.toBe(first.address);
      await startRun(first.address, 'of the first');
      expect(await openRuns(second.address)).toEqual([]);
    }),
  ));

/** Leaves the record of a server that ran on these ports before the last boot. */
async function usedThem({ state }: OwnServer, ports: { grpc: number; ui: number }): Promise<void> {
  await mkdir(state, { recursive: true });
  await writeRecord(state, {
    process: { pid: 1, startTicks: '1', bootId: 'an earlier one' },
    ...{ program: '/none', version: '0', dataDir: '/none', logFile: '/none', ports },
    ...{ startedAt: '2026-01-01T00:00:00.000Z', ready: true, stopped: true },
  });
}

/** The real program, which begins a second after it was started: both looked at free ports then. */
async function slowProgram({ environment, state, log }: OwnServer): Promise<string> {
  const cacheDir = environment['WIGGUM_CACHE_DIR'] ?? '';
  const real = await findTemporal({ environment, cacheDir, log });
  return writeProgram(
    path.join(state, 'slow'),
    '[ "$1" = --version ] || sleep 1.5',
    `exec '${real.path}' "$@"`,
  );
}
