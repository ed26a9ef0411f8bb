import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findProgram } from '../../config/find-program.ts';
import { withFolder, writeProgram } from '../helpers/with-folder.ts';

describe('findProgram', () => {
  it('takes the first program of that name on PATH (#3)', async () => {
    await withFolder(async (folder) => {
      for (const name of ['a', 'b', 'c']) await mkdir(path.join(folder, name));
      await writeFile(path.join(folder, 'a', 'tool'), 'not executable');
      await chmod(path.join(folder, 'a', 'tool'), 0o644);
      await mkdir(path.join(folder, 'b', 'tool'));
      const program = path.join(folder, 'c', 'tool');
      await writeProgram(program);
      const PATH = ['a', 'b', 'c'].map((name) => path.join(folder, name)).join(':');
      expect(await findProgram('tool', { PATH }, folder)).toBe(program);
      expect(await findProgram('other', { PATH }, folder)).toBeUndefined();
    });
  });

  it('looks at a path that is given, and never on PATH for it', async () => {
    await withFolder(async (folder) => {
      await writeProgram(path.join(folder, 'tool'));
      expect(await findProgram('./tool', {}, folder)).toBe(path.join(folder, 'tool'));
      expect(await findProgram('./tool', { PATH: folder }, path.dirname(folder))).toBeUndefined();
    });
  });

  it.each([undefined, '', ':/nowhere'])(
    'finds nothing in the folder it stands in when PATH is %p',
    async (PATH) => {
      await withFolder(async (folder) => {
        await writeProgram(path.join(folder, 'tool'));
        expect(await findProgram('tool', { PATH }, folder)).toBeUndefined();
      });
    },
  );
});
