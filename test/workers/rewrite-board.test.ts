import { renameSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { collapseDone, sortBoard } from '../../config/board-rewrite.ts';
import { rewriteBoard } from '../../workers/rewrite-board.ts';
import { aBoard, withBoard } from '../helpers/a-board.ts';
import { startChild } from '../helpers/a-child.ts';

const BOARD = aBoard().withTask('CD-1').withTask('AB-1', { marker: 'x' }).withTask('AB-2');

describe('rewriteBoard', () => {
  it('sorts a board on disk, and says when there was nothing to do (#23)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      expect(await rewriteBoard(file, sortBoard)).toBe(true);
      expect(await readFile(file, 'utf8')).toBe(sortBoard(BOARD.text()));
      expect(await rewriteBoard(file, sortBoard)).toBe(false);
      expect(await readdir(ralphDir)).toEqual(['kanban.md']);
    });
  });

  it('refuses an invalid board and changes nothing (#23)', async () => {
    const text = BOARD.withTask('AB-1').text();
    await withBoard(text, async ({ file }) => {
      await expect(rewriteBoard(file, sortBoard)).rejects.toMatchObject({ code: 'BOARD_INVALID' });
      expect(await readFile(file, 'utf8')).toBe(text);
    });
  });

  it('names a board that is not there (#17)', async () => {
    await expect(rewriteBoard('/nowhere/kanban.md', sortBoard)).rejects.toMatchObject({
      code: 'BOARD_MISSING',
    });
  });

  it('rewrites what a person saved meanwhile, not what it read before (#23)', async () => {
    await withBoard(BOARD, async ({ file }) => {
      const theirs = BOARD.withTask('AA-1').text();
      let turns = 0;
      const edit = (text: string) => {
        turns += 1;
        if (turns === 1) {
          writeFileSync(`${file}.save`, theirs);
          renameSync(`${file}.save`, file);
        }
        return sortBoard(text);
      };
      expect(await rewriteBoard(file, edit)).toBe(true);
      expect(await readFile(file, 'utf8')).toBe(sortBoard(theirs));
    });
  });

  it('and a writer of markers in another process lose nothing of each other (#21, #24)', async () => {
    const ids = [...Array(10).keys()].map((n) => `AB-${n + 1}`);
    const board = ids.reduce((text, id) => text.withTask(id), aBoard());
    await withBoard(board, async ({ ralphDir, file }) => {
      const moves = ids.map((id) => `${id}:x`);
      const writer = startChild('board/writes-markers.mjs', [ralphDir, ...moves]);
      let isWriting = true;
      void writer.ended.then(() => (isWriting = false));
      while (isWriting) await rewriteBoard(file, (text) => collapseDone(text).text);
      expect(await writer.ended).toBe(0);
      await rewriteBoard(file, (text) => collapseDone(text).text);
      const [, archived = ''] = /<!-- done: (.*) -->/.exec(await readFile(file, 'utf8')) ?? [];
      expect(archived.split(', ').sort()).toEqual([...ids].sort());
    });
  }, 30_000);
});
