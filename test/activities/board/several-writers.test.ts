import { readdir, readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { writeMarkers } from '../../../activities/board/write-markers.ts';
import { parseBoard } from '../../../config/board-file.ts';
import { aBoard, withBoard } from '../../helpers/a-board.ts';
import { startChild, type Child } from '../../helpers/a-child.ts';

const ids = (prefix: string, count: number) =>
  [...Array(count).keys()].map((n) => `${prefix}-${n + 1}`);
const boardOf = (all: string[]) => all.reduce((board, id) => board.withTask(id), aBoard());
/** The board with every marker taken out: what no writer may change. */
const rest = (text: string) => text.replaceAll(/^- \[.\]/gm, '- [?]');

describe('writers in processes of their own', () => {
  it('change the markers of one board at once, and both changes are there (#24)', async () => {
    const [ours, theirs] = [ids('AB', 12), ids('CD', 12)];
    const board = boardOf([...ours, ...theirs]).text();
    await withBoard(board, async ({ ralphDir, file }) => {
      const writers = [
        startChild('board/writes-markers.mjs', [ralphDir, ...ours.map((id) => `${id}:=`)]),
        startChild('board/writes-markers.mjs', [ralphDir, ...theirs.map((id) => `${id}:x`)]),
      ];
      expect(await Promise.all(writers.map((writer) => writer.ended))).toEqual([0, 0]);
      const text = await readFile(file, 'utf8');
      expect(rest(text)).toBe(rest(board));
      expect(parseBoard(text).tasks.map(({ id, marker }) => id + marker)).toEqual([
        ...ours.map((id) => `${id}=`),
        ...theirs.map((id) => `${id}x`),
      ]);
      expect(await readdir(ralphDir)).toEqual(['kanban.md']);
    });
  }, 60_000);

  it('leave the old board or the new one, whenever they are killed (#24)', async () => {
    // Large enough that a write takes its time.
    const board = boardOf(ids('AB', 500)).text();
    const KILLS = 52;
    await withBoard(board, async ({ ralphDir, file }) => {
      const running = new Set<Child>();
      let killed = 0;
      const killOver = async (id: string) => {
        while (killed < KILLS) {
          killed += 1;
          const writer = startChild('board/writes-for-ever.mjs', [ralphDir, id]);
          running.add(writer);
          await writer.says('writing');
          // Spread over the whole of a write, and the same in every run.
          await setTimeout((killed * 37) % 90);
          await writer.kill();
          running.delete(writer);
          const text = await readFile(file, 'utf8');
          expect(rest(text) === rest(board)).toBe(true);
        }
      };
      try {
        // Two at once: one of them finds what the killed other one left.
        await Promise.all([killOver('AB-1'), killOver('AB-500')]);
      } finally {
        await Promise.all([...running].map((writer) => writer.kill()));
      }
      expect(await writeMarkers({ ralphDir, moves: [{ id: 'AB-7', marker: 'x' }] })).toEqual({
        changed: true,
        missing: [],
      });
      const { tasks, problems } = parseBoard(await readFile(file, 'utf8'));
      expect(problems).toEqual([]);
      expect(tasks).toHaveLength(500);
      expect(await readdir(ralphDir)).toEqual(['kanban.md']);
    });
  }, 120_000);
});
