import { appendFileSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { moveMarkers } from '../../../activities/board/move-markers.ts';
import { readBoard, readTask } from '../../../activities/board/read-board.ts';
import { aBoard, withBoard } from '../../helpers/a-board.ts';

const BOARD = aBoard()
  .withTask('AB-1', { priority: 'HIGH', more: ['  - Scope:', '    - The form'] })
  .withTask('AB-2', { marker: 'P', dependencies: ['AB-1', 'ZZ-1'] })
  .with('<!-- done: ZZ-1 -->');

describe('readBoard', () => {
  it('gives the scheduler what it needs, and no more (#14, #21, #29)', async () => {
    await withBoard(BOARD, async ({ ralphDir }) => {
      await mkdir(path.join(ralphDir, 'plans'));
      await writeFile(path.join(ralphDir, 'plans', 'AB-2.md'), 'plan');
      const { cards, archived, problems } = await readBoard({ ralphDir });
      expect(cards).toEqual([
        {
          id: 'AB-1',
          title: 'Title of AB-1',
          marker: ' ',
          priority: 'HIGH',
          dependencies: [],
          line: 5,
          hasPlan: false,
        },
        {
          id: 'AB-2',
          title: 'Title of AB-2',
          marker: 'P',
          priority: 'MEDIUM',
          dependencies: ['AB-1', 'ZZ-1'],
          line: 11,
          hasPlan: true,
        },
      ]);
      expect({ archived, problems }).toEqual({ archived: ['ZZ-1'], problems: [] });
    });
  });

  it('gives equal readings an equal hash, and others another (#33)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      const { hash } = await readBoard({ ralphDir });
      expect((await readBoard({ ralphDir })).hash).toBe(hash);
      await mkdir(path.join(ralphDir, 'plans'));
      await writeFile(path.join(ralphDir, 'plans', 'AB-1.md'), 'plan');
      const withPlan = await readBoard({ ralphDir });
      expect(withPlan.hash).not.toBe(hash);
      await writeFile(file, `${BOARD.text()}\n`);
      expect((await readBoard({ ralphDir })).hash).not.toBe(withPlan.hash);
    });
  });

  it('waits for a save that is under way instead of reading half of it', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      const text = BOARD.text();
      writeFileSync(file, text.slice(0, 100));
      const slowSave = async () => {
        for (let at = 100; at < text.length; at += 20) {
          await setTimeout(1);
          appendFileSync(file, text.slice(at, at + 20));
        }
      };
      const [{ cards }] = await Promise.all([readBoard({ ralphDir }), slowSave()]);
      expect(cards.map(({ id }) => id)).toEqual(['AB-1', 'AB-2']);
    });
  });

  it('names a missing board (#17)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      await rm(file);
      await expect(readBoard({ ralphDir })).rejects.toMatchObject({ code: 'BOARD_MISSING' });
    });
  });
});

describe('readTask', () => {
  it('reads one whole task (#14, #18)', async () => {
    await withBoard(BOARD, async ({ ralphDir }) => {
      expect(await readTask({ ralphDir, id: 'AB-1' })).toMatchObject({
        description: 'What to do',
        scope: ['The form'],
      });
      await expect(readTask({ ralphDir, id: 'CD-1' })).rejects.toMatchObject({
        code: 'TASK_UNKNOWN',
      });
    });
  });
});

describe('moveMarkers', () => {
  it('writes all markers and returns the board as it then is (#24)', async () => {
    await withBoard(BOARD, async ({ ralphDir }) => {
      const { cards } = await moveMarkers({
        ralphDir,
        moves: [
          { id: 'AB-1', marker: '=' },
          { id: 'AB-2', marker: 'x' },
          { id: 'GONE-1', marker: 'x' },
        ],
      });
      expect(cards.map(({ id, marker }) => id + marker)).toEqual(['AB-1=', 'AB-2x']);
      expect(await readdir(ralphDir)).toEqual(['kanban.md']);
    });
  });

  it('does the same once more without another change (#24)', async () => {
    await withBoard(BOARD, async ({ ralphDir }) => {
      const order = { ralphDir, moves: [{ id: 'AB-1', marker: '=' as const }] };
      expect(await moveMarkers(order)).toEqual(await moveMarkers(order));
    });
  });

  it('takes a board that cannot be trusted for an error, not for an empty one (#17)', async () => {
    await withBoard('', async ({ ralphDir, file }) => {
      await expect(moveMarkers({ ralphDir, moves: [] })).rejects.toMatchObject({
        code: 'BOARD_INVALID',
        message: expect.stringMatching(/line 1: .*no heading/),
        where: file,
      });
    });
  });
});
