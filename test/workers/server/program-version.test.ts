import { describe, expect, it } from '@jest/globals';
import path from 'node:path';
import { isAtLeast, programVersion } from '../../../workers/server/program-version.ts';
import { withFolder, writeProgram } from '../../helpers/with-folder.ts';

describe('isAtLeast', () => {
  it.each([
    ['1.29.0', '1.29.0', true],
    ['1.29.1', '1.29.0', true],
    ['1.32.0', '1.29.0', true],
    ['2.0', '1.29.0', true],
    ['1.29', '1.29.0', true],
    ['1.9.0', '1.29.0', false],
    ['1.28.9', '1.29.0', false],
    ['1', '1.29.0', false],
  ])('compares %s with %s number by number', (version, floor, expected) => {
    expect(isAtLeast(version, floor)).toBe(expected);
  });
});

describe('programVersion', () => {
  it('reads the versions of program and server', async () => {
    await withFolder(async (folder) => {
      const program = await writeProgram(
        path.join(folder, 'temporal'),
        'echo "temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)"',
      );
      expect(await programVersion(program, {})).toEqual({ version: '1.9.1', server: '1.32.0' });
    });
  });

  it('tells what a program said that gives no version', async () => {
    await withFolder(async (folder) => {
      const program = await writeProgram(
        path.join(folder, 'temporal'),
        'echo "wrong architecture" >&2',
        'exit 3',
      );
      await expect(programVersion(program, {})).rejects.toThrow('wrong architecture');
      await expect(programVersion(path.join(folder, 'none'), {})).rejects.toThrow('ENOENT');
    });
  });
});
