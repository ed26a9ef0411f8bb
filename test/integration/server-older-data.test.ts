import { expect, it } from '@jest/globals';
import path from 'node:path';
import { findTemporal } from '../../workers/server/find-program.ts';
import { writeProgram } from '../helpers/with-folder.ts';
import { openRuns, startRun, withClientOf, withOwnServer } from '../helpers/with-own-server.ts';

it(
  'lets the version that made the data serve until its runs have ended',
  () =>
    withOwnServer(async ({ ensure, stop, environment, log, said, state }) => {
      const real = await findTemporal({
        environment,
        log,
        cacheDir: environment['WIGGUM_CACHE_DIR'] ?? '',
      });
      /** The real program under another version: what counts here is what it says of itself. */
      const use = async (version: string) => {
        environment['WIGGUM_TEMPORAL_CLI'] = await writeProgram(
          path.join(state, '..', version, 'temporal'),
          `[ "$1" != --version ] || { echo "temporal version ${version} (Server 1.32.0)"; exit; }`,
          `exec '${real.path}' "$@"`,
        );
      };

      await use('1.8.0');
      const older = await ensure();
      expect(older.version).toBe('1.8.0');
      await startRun(older.address, 'open');
      await stop();

      await use('1.9.0');
      const still = await ensure();
      expect(still).toMatchObject({ version: '1.8.0', dataDir: older.dataDir });
      expect(said).toContain('Temporal 1.8.0 goes on for 1 open runs; 1.9.0 follows them');
      expect(await openRuns(still.address)).toEqual(['open']);

      await withClientOf(still.address, (client) =>
        client.workflow.getHandle('open').terminate('the test ends it'),
      );
      await stop();
      const newer = await ensure();
      expect(newer.version).toBe('1.9.0');
      expect(newer.dataDir).not.toBe(older.dataDir);
      expect(said).toContain('Temporal 1.8.0 has no open runs; 1.9.0 takes over');
    }),
  60_000,
);
