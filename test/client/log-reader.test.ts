import { appendFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { LogReader } from '../../client/log-reader.ts';
import { withFolder } from '../helpers/with-folder.ts';

async function readAll(reader: LogReader, flush = false): Promise<string[]> {
  const lines: string[] = [];
  for await (const { file, line } of reader.read({ flush })) lines.push(`${file}: ${line}`);
  return lines;
}

describe('the logs of a run', () => {
  it('are read in the order in which they were begun', async () => {
    await withFolder(async (folder) => {
      await mkdir(path.join(folder, 'z-run'));
      await writeFile(path.join(folder, 'z-run', 'first.log'), 'one\n');
      await sleep(20);
      await writeFile(path.join(folder, 'a-second.log'), 'two\n');
      expect(await readAll(new LogReader(folder))).toEqual([
        'z-run/first.log: one',
        'a-second.log: two',
      ]);
    });
  });

  it('give each line once, whole, and only what is new', async () => {
    await withFolder(async (folder) => {
      const file = path.join(folder, 'a.log');
      const reader = new LogReader(folder);
      await writeFile(file, 'one\ntw');
      expect(await readAll(reader)).toEqual(['a.log: one']);
      await appendFile(file, 'o\r\nthree');
      expect(await readAll(reader)).toEqual(['a.log: two']);
      expect(await readAll(reader)).toEqual([]);
      expect(await readAll(reader, true)).toEqual(['a.log: three']);
      expect(await readAll(reader, true)).toEqual([]);
    });
  });

  it('keep characters whole that are longer than a byte', async () => {
    await withFolder(async (folder) => {
      const file = path.join(folder, 'a.log');
      const reader = new LogReader(folder);
      const bytes = Buffer.from('漢字\n');
      await writeFile(file, bytes.subarray(0, 2));
      expect(await readAll(reader)).toEqual([]);
      await appendFile(file, bytes.subarray(2));
      expect(await readAll(reader)).toEqual(['a.log: 漢字']);
    });
  });

  it('cut a line that would not end', async () => {
    await withFolder(async (folder) => {
      await writeFile(path.join(folder, 'a.log'), `${'x'.repeat(3_000_000)}\nnext\n`);
      const [long = '', next] = await readAll(new LogReader(folder));
      expect(long.length).toBeLessThan(1_100_000);
      expect(next).toBe('a.log: next');
    });
  });

  it('do not include links, nor files of another kind', async () => {
    await withFolder(async (folder) => {
      await writeFile(path.join(folder, 'secret.txt'), 'secret\n');
      await symlink(path.join(folder, 'secret.txt'), path.join(folder, 'link.log'));
      expect(await readAll(new LogReader(folder))).toEqual([]);
    });
  });

  it('are none where nothing ran', async () => {
    expect(await readAll(new LogReader('/nowhere/at/all'))).toEqual([]);
  });
});
