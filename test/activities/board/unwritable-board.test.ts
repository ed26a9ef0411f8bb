import { chmodSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { writeMarkers } from '../../../activities/board/write-markers.ts';
import { aBoard, withBoard } from '../../helpers/a-board.ts';
import { startChild } from '../../helpers/a-child.ts';

const BOARD = aBoard().withTask('AB-1');
const LARGE = BOARD.with(`<!-- ${'x'.repeat(300_000)} -->`);

describe('a board that cannot be written', () => {
  it('stays whole on a full disk, and is written when there is room again (#24)', async () => {
    await withBoard(LARGE, async ({ ralphDir, file }) => {
      // No file of this process may grow beyond some blocks: its new board is cut in the middle.
      const full = "trap '' XFSZ; ulimit -f 100";
      const writer = startChild('board/writes-markers.mjs', [ralphDir, 'AB-1:x'], full);
      expect(await writer.ended).toBe(1);
      expect(writer.said).toEqual(['BOARD_UNWRITABLE']);
      expect(await readFile(file, 'utf8')).toBe(LARGE.text());
      expect(await readdir(ralphDir)).toEqual(['kanban.md']);
      expect(await writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: 'x' }] })).toMatchObject({
        changed: true,
      });
    });
  });

  it('stays whole when its writer dies of the full disk (#24)', async () => {
    await withBoard(LARGE, async ({ ralphDir, file }) => {
      const writer = startChild('board/writes-markers.mjs', [ralphDir, 'AB-1:x'], 'ulimit -f 100');
      expect(await writer.ended).not.toBe(0);
      expect(await readFile(file, 'utf8')).toBe(LARGE.text());
      await writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: 'x' }] });
      expect(await readdir(ralphDir)).toEqual(['kanban.md']);
    });
  });

  it('is named in a folder that is closed to us (#24)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      chmodSync(ralphDir, 0o555);
      const writer = startChild('board/writes-markers.mjs', [ralphDir, 'as-nobody', 'AB-1:x']);
      await writer.ended;
      chmodSync(ralphDir, 0o755);
      expect(writer.said).toEqual(['BOARD_UNWRITABLE']);
      expect(await readFile(file, 'utf8')).toBe(BOARD.text());
    });
  });

  it('is named when it may not be read (#17)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      chmodSync(ralphDir, 0o777);
      chmodSync(file, 0o000);
      const writer = startChild('board/writes-markers.mjs', [ralphDir, 'as-nobody', 'AB-1:x']);
      await writer.ended;
      chmodSync(file, 0o600);
      expect(writer.said).toEqual(['BOARD_UNREADABLE']);
      expect(await readdir(ralphDir)).toEqual(['kanban.md']);
    });
  });
});
