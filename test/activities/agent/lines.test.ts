import { appendFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FileFollower, LineSplitter, type Line } from '../../../activities/agent/lines.ts';
import { withFolder } from '../../helpers/with-folder.ts';

const texts = (lines: Line[]) => lines.map((line) => (line.kind === 'line' ? line.text : line));

describe('LineSplitter', () => {
  it('gives the same lines however the bytes are cut', () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\n\r]/g, ' '));
    fc.assert(
      fc.property(
        fc.array(line),
        fc.infiniteStream(fc.integer({ min: 1, max: 7 })),
        (lines, cuts) => {
          const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
          const splitter = new LineSplitter();
          const found: Line[] = [];
          for (let at = 0; at < bytes.length;) {
            const size = Number(cuts.next().value);
            found.push(...splitter.push(bytes.subarray(at, at + size)));
            at += size;
          }
          expect(texts(found)).toEqual(lines.map((text) => Buffer.from(text).toString('utf8')));
          expect(splitter.flush()).toEqual([]);
        },
      ),
    );
  });

  it('drops a line that is too long, and goes on behind it', () => {
    const splitter = new LineSplitter(10);
    expect(texts(splitter.push(Buffer.from('short\nfar too long a')))).toEqual(['short']);
    expect(splitter.push(Buffer.from(' line\nnext\n'))).toEqual([
      { kind: 'dropped', bytes: 19 },
      { kind: 'line', text: 'next' },
    ]);
  });

  it('takes both line endings and gives a last line without one at the end', () => {
    const splitter = new LineSplitter();
    expect(texts(splitter.push(Buffer.from('one\r\ntwo\nthree')))).toEqual(['one', 'two']);
    expect(texts(splitter.flush())).toEqual(['three']);
  });

  it('survives bytes that are no text', () => {
    const [line] = new LineSplitter().push(Buffer.from([0xff, 0x00, 0x41, 0x0a]));
    expect(line).toMatchObject({ kind: 'line', text: expect.stringContaining('A') });
  });
});

describe('FileFollower', () => {
  it('reads on where it stopped, and gives the rest at the end', async () => {
    await withFolder(async (folder) => {
      const file = path.join(folder, 'log');
      await writeFile(file, 'one\ntw');
      const follower = await FileFollower.open(file);
      const lines: Line[] = [];
      expect(await follower.read((line) => lines.push(line))).toBe(true);
      expect(texts(lines)).toEqual(['one']);
      await appendFile(file, 'o\nthree');
      await follower.read((line) => lines.push(line));
      expect(texts(lines)).toEqual(['one', 'two']);
      await follower.finish((line) => lines.push(line));
      expect(texts(lines)).toEqual(['one', 'two', 'three']);
    });
  });

  it('reads no more at once than it is allowed', async () => {
    await withFolder(async (folder) => {
      const file = path.join(folder, 'log');
      await writeFile(file, `${'x'.repeat(99)}\n`.repeat(5_000));
      const follower = await FileFollower.open(file);
      let count = 0;
      expect(await follower.read(() => (count += 1), 1_000)).toBe(false);
      expect(count).toBeLessThan(1_000);
      await follower.finish(() => (count += 1));
      expect(count).toBe(5_000);
    });
  });
});
