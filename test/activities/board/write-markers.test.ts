import { execFileSync } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { chmodSync, chownSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { writeMarkers } from '../../../activities/board/write-markers.ts';
import { aBoard, withBoard } from '../../helpers/a-board.ts';

const BOARD = aBoard().withTask('AB-1').withTask('AB-2', { marker: 'P' });
const itAsRoot = process.getuid?.() === 0 ? it : it.skip;

describe('writeMarkers', () => {
  it.each([
    ['plain', BOARD.text()],
    ['CRLF', BOARD.text().replaceAll('\n', '\r\n')],
    ['a byte order mark', `\uFEFF${BOARD.text()}`],
    ['no final newline', BOARD.text().trimEnd()],
    ['mixed endings, tabs, emoji', `\t🙂\r\n${BOARD.text()}\r\n\r\n  é`],
    ['code and comments', BOARD.with('```', '- [ ] **[AB-1]** q', '```', '<!-- x -->').text()],
  ])('changes one byte of a board with %s (#24)', async (_name, text) => {
    await withBoard(text, async ({ ralphDir, file }) => {
      const written = await writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: '=' }] });
      expect(written).toEqual({ changed: true, missing: [] });
      expect(await readFile(file, 'utf8')).toBe(
        text.replace('- [ ] **[AB-1]**', '- [=] **[AB-1]**'),
      );
    });
  });

  it('writes nothing when the marker is there already (#24)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      const before = await stat(file, { bigint: true });
      const written = await writeMarkers({ ralphDir, moves: [{ id: 'AB-2', marker: 'P' }] });
      expect(written).toEqual({ changed: false, missing: [] });
      expect(await stat(file, { bigint: true })).toMatchObject({
        ino: before.ino,
        mtimeNs: before.mtimeNs,
      });
    });
  });

  it('writes nothing for a task that is not on the board (#24)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      const written = await writeMarkers({ ralphDir, moves: [{ id: 'ZZ-9', marker: 'x' }] });
      expect(written).toEqual({ changed: false, missing: ['ZZ-9'] });
      expect(await readFile(file, 'utf8')).toBe(BOARD.text());
    });
  });

  it('writes several markers in one step (#24)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      const { ino } = await stat(file);
      const seen = new Set<string>();
      const watching = setInterval(() => seen.add(readFileSync(file, 'utf8')), 1);
      const written = await writeMarkers({
        ralphDir,
        moves: [
          { id: 'AB-1', marker: '=' },
          { id: 'ZZ-9', marker: 'x' },
          { id: 'AB-2', marker: 'x' },
          { id: 'AB-1', marker: 'P' },
        ],
      });
      clearInterval(watching);
      expect(written).toEqual({ changed: true, missing: ['ZZ-9'] });
      const after = BOARD.text()
        .replace('[ ] **[AB-1', '[P] **[AB-1')
        .replace('[P] **[AB-2', '[x] **[AB-2');
      expect(await readFile(file, 'utf8')).toBe(after);
      expect((await stat(file)).ino).not.toBe(ino);
      expect([...seen].filter((text) => text !== BOARD.text() && text !== after)).toEqual([]);
    });
  });

  it('keeps the mode, and leaves nothing beside the board (#24)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      for (const mode of [0o640, 0o600, 0o664]) {
        chmodSync(file, mode);
        await writeMarkers({
          ralphDir,
          moves: [{ id: 'AB-1', marker: mode === 0o600 ? '=' : 'P' }],
        });
        expect((await stat(file)).mode & 0o7777).toBe(mode);
      }
      expect(await readdir(ralphDir)).toEqual(['kanban.md']);
    });
  });

  itAsRoot('keeps the owner of a board that is somebody else’s (#24)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      chownSync(file, 12_345, 54_321);
      await writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: 'x' }] });
      expect(await stat(file)).toMatchObject({ uid: 12_345, gid: 54_321 });
    });
  });

  it('writes to what a symbolic link leads to, and keeps the link (#24)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      const real = path.join(ralphDir, 'elsewhere', 'board.md');
      await mkdir(path.dirname(real));
      await writeFile(real, BOARD.text());
      await rm(file);
      await symlink('elsewhere/board.md', file);
      await writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: 'x' }] });
      expect((await lstat(file)).isSymbolicLink()).toBe(true);
      expect(await readFile(real, 'utf8')).toContain('- [x] **[AB-1]**');
      expect(await readdir(path.dirname(real))).toEqual(['board.md']);
    });
  });
});

describe('a board that may not be written', () => {
  it.each([
    ['conflict markers', `<<<<<<< HEAD\n${BOARD.text()}`, /line 1: git conflict marker/],
    ['no heading', BOARD.text().replace('## TASKS', '## Todo'), /line 1: .*no heading/],
    ['an open comment', BOARD.with('<!--').text(), /line 13: this comment is never closed/],
    [
      'the task twice',
      BOARD.withTask('AB-1').text(),
      /line 5: AB-1 stands on the board more than once/,
    ],
    ['a NUL character', BOARD.with('\0').text(), /line 13: .*NUL/],
  ])('is refused with %s, and stays as it is (#17, #24)', async (_name, text, message) => {
    await withBoard(text, async ({ ralphDir, file }) => {
      await expect(
        writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: 'x' }] }),
      ).rejects.toMatchObject({
        code: 'BOARD_INVALID',
        message: expect.stringMatching(message),
      });
      expect(await readFile(file, 'utf8')).toBe(text);
      expect(await readdir(ralphDir)).toEqual(['kanban.md']);
    });
  });

  it('takes the other markers before it says which one it cannot place (#17, #24)', async () => {
    await withBoard(BOARD.withTask('AB-2'), async ({ ralphDir, file }) => {
      const moves = ['AB-2', 'AB-1'].map((id) => ({ id, marker: 'x' as const }));
      await expect(writeMarkers({ ralphDir, moves })).rejects.toMatchObject({
        code: 'BOARD_INVALID',
        message: 'line 9: AB-2 stands on the board more than once',
      });
      const text = BOARD.withTask('AB-2').text();
      expect(await readFile(file, 'utf8')).toBe(text.replace('- [ ] **[AB-1]', '- [x] **[AB-1]'));
    });
  });

  it('is written for one task though another has errors (#17, #24)', async () => {
    const text = BOARD.with('- [ ] **[CD-1]** No fields', '- [?] **[CD-2]** No marker').text();
    await withBoard(text, async ({ ralphDir }) => {
      const written = await writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: 'x' }] });
      expect(written).toEqual({ changed: true, missing: [] });
    });
  });

  it('is named when it is not UTF-8, with the line (#17)', async () => {
    const bytes = Buffer.concat([Buffer.from('## TASKS\n\n'), Buffer.from([0x41, 0xff, 0x0a])]);
    await withBoard(bytes, async ({ ralphDir, file }) => {
      await expect(
        writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: 'x' }] }),
      ).rejects.toMatchObject({
        code: 'BOARD_UNREADABLE',
        message: expect.stringMatching(/not UTF-8 text: line 3/),
      });
      expect(await readFile(file)).toEqual(bytes);
    });
  });

  it('is named when it is too large (#17)', async () => {
    await withBoard(Buffer.alloc(17 * 1024 * 1024, '\n'), async ({ ralphDir }) => {
      await expect(
        writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: 'x' }] }),
      ).rejects.toMatchObject({
        code: 'BOARD_UNREADABLE',
        message: expect.stringMatching(/bytes; 16777216 are the limit/),
      });
    });
  });

  it.each<[string, string, RegExp, (file: string) => unknown]>([
    ['is not there', 'BOARD_MISSING', /does not exist/, () => {}],
    ['is a folder', 'BOARD_UNREADABLE', /is a folder/, (file) => mkdir(file)],
    ['is a FIFO', 'BOARD_UNREADABLE', /is a FIFO/, (file) => execFileSync('mkfifo', [file])],
    ['is a device', 'BOARD_UNREADABLE', /is a device/, (file) => symlink('/dev/null', file)],
    ['is a link to itself', 'BOARD_UNREADABLE', /back to itself/, (file) => symlink(file, file)],
    ['is a link to nothing', 'BOARD_UNREADABLE', /leads nowhere/, (file) => symlink('no', file)],
  ])('is named when it %s (#17)', async (_name, code, message, make) => {
    await withBoard('', async ({ ralphDir, file }) => {
      await rm(file);
      await make(file);
      await expect(
        writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: 'x' }] }),
      ).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message),
        where: expect.stringContaining('/'),
      });
    });
  });

  it('is named when it is a socket (#17)', async () => {
    await withBoard('', async ({ ralphDir, file }) => {
      await rm(file);
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(file, resolve));
      try {
        await expect(
          writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: 'x' }] }),
        ).rejects.toMatchObject({
          code: 'BOARD_UNREADABLE',
          message: expect.stringMatching(/is a socket/),
        });
      } finally {
        await new Promise((resolve) => server.close(resolve));
      }
    });
  });
});
