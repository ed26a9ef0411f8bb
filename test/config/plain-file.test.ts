import { execFile } from 'node:child_process';
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { plainFileSize, readPlainFile } from '../../config/plain-file.ts';
import { withFolder } from '../helpers/with-folder.ts';

const mkfifo = (file: string) => promisify(execFile)('mkfifo', [file]);

describe('readPlainFile', () => {
  it('reads a file up to its limit, and none beyond it', () =>
    withFolder(async (folder) => {
      const file = path.join(folder, 'file');
      await writeFile(file, 'é!');
      expect(await readPlainFile(file)).toBe('é!');
      expect(await readPlainFile(file, 3)).toBe('é!');
      expect(await readPlainFile(file, 2)).toBeUndefined();
      expect(await plainFileSize(file)).toBe(3);
    }));

  it.each<[string, (file: string, precious: string) => Promise<unknown>]>([
    ['nothing', () => Promise.resolve()],
    ['a link to a file', (file, precious) => symlink(precious, file)],
    ['a link to itself', (file) => symlink(file, file)],
    ['a folder', (file) => mkdir(file)],
    ['a pipe', (file) => mkfifo(file)],
  ])('finds no file in %s, and does not wait for one', (_title, make) =>
    withFolder(async (folder) => {
      const file = path.join(folder, 'file');
      const precious = path.join(folder, 'precious');
      await writeFile(precious, 'secret');
      await make(file, precious);
      expect(await readPlainFile(file)).toBeUndefined();
      expect(await plainFileSize(file)).toBeUndefined();
    }),
  );

  it('does not hang on a pipe that takes the place of a file while it is read', () =>
    withFolder(async (folder) => {
      const at = (name: string) => path.join(folder, name);
      await mkfifo(at('pipe'));
      for (let round = 0; round < 50; round += 1) {
        await writeFile(at('file'), 'words');
        const reading = readPlainFile(at('file'));
        await rename(at('pipe'), at('file'));
        expect(['words', undefined]).toContain(await reading);
        await rename(at('file'), at('pipe'));
      }
    }));

  it('says when the machine is at fault instead of the file', async () => {
    await expect(readPlainFile('a\0b')).rejects.toThrow('null bytes');
  });
});
