import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readIfThere, writeDurably } from '../../activities/durable-file.ts';
import { withFolder } from '../helpers/with-folder.ts';

describe('writeDurably', () => {
  it('replaces a file whole, and leaves nothing beside it', () =>
    withFolder(async (folder) => {
      const file = path.join(folder, 'record.json');
      await writeDurably(file, 'one');
      await writeDurably(file, 'two');
      expect(await readFile(file, 'utf8')).toBe('two');
      expect(await readdir(folder)).toEqual(['record.json']);
    }));

  it('leaves nothing behind when it fails, however often it is tried', () =>
    withFolder(async (folder) => {
      // A folder of that name: the last act, the renaming, is refused.
      await mkdir(path.join(folder, 'record.json', 'taken'), { recursive: true });
      for (let time = 0; time < 3; time += 1)
        await expect(writeDurably(path.join(folder, 'record.json'), 'one')).rejects.toThrow();
      expect(await readdir(folder)).toEqual(['record.json']);
    }));
});

describe('readIfThere', () => {
  it('tells a missing file from one that cannot be read', () =>
    withFolder(async (folder) => {
      expect(await readIfThere(path.join(folder, 'nothing'))).toBeUndefined();
      await expect(readIfThere(folder)).rejects.toThrow('EISDIR');
    }));
});
