import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { writeMarkers } from '../../../activities/board/write-markers.ts';
import { parseBoard } from '../../../config/board-file.ts';
import { aBoard, withBoard } from '../../helpers/a-board.ts';
import { startChild } from '../../helpers/a-child.ts';

const BOARD = aBoard().withTask('AB-1').withTask('AB-2');
/** What a person makes of the board while we write: both changes must be in it afterwards. */
const THEIRS = BOARD.withTask('CD-1').text().replace('Title of AB-2', 'Better title');
const BOTH = THEIRS.replace('- [ ] **[AB-1]**', '- [=] **[AB-1]**');

/** Lets a person act once our new file lies beside the board: it was read, and is not yet replaced. */
async function whenAboutToReplace(folder: string, act: () => void): Promise<void> {
  while (!readdirSync(folder).some((name) => name.includes('.wiggum-new-'))) await setImmediate();
  act();
}

const saveByRename = (file: string, text: string) => {
  writeFileSync(`${file}.save`, text);
  renameSync(`${file}.save`, file);
};

describe('a save between reading and writing', () => {
  it.each<[string, (file: string) => void]>([
    ['by a rename', (file) => saveByRename(file, THEIRS)],
    ['in place', (file) => writeFileSync(file, THEIRS)],
    [
      'by moving the old file away first',
      (file) => {
        renameSync(file, `${file}~`);
        writeFileSync(file, THEIRS);
        unlinkSync(`${file}~`);
      },
    ],
  ])('%s is kept, and the marker goes into it (#24)', async (_name, save) => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      const [written] = await Promise.all([
        writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: '=' }] }),
        whenAboutToReplace(ralphDir, () => save(file)),
      ]);
      expect(written).toEqual({ changed: true, missing: [] });
      expect(await readFile(file, 'utf8')).toBe(BOTH);
      expect(await readdir(ralphDir)).toEqual(['kanban.md']);
    });
  });

  it('that changes nothing but the same number of bytes is kept too (#24)', async () => {
    const theirs = BOARD.text().replace('Title of AB-2', 'Other of AB-2');
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      await Promise.all([
        writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: '=' }] }),
        whenAboutToReplace(ralphDir, () => writeFileSync(file, theirs)),
      ]);
      expect(await readFile(file, 'utf8')).toBe(theirs.replace('[ ]', '[=]'));
    });
  });

  it('that a coarse time stamp does not show is kept too (#24)', async () => {
    const theirs = BOARD.text().replace('Title of AB-2', 'Other of AB-2');
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      utimesSync(file, 1_700_000_000, 1_700_000_000);
      await Promise.all([
        writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: '=' }] }),
        whenAboutToReplace(ralphDir, () => {
          writeFileSync(file, theirs);
          utimesSync(file, 1_700_000_000, 1_700_000_000);
        }),
      ]);
      expect(await readFile(file, 'utf8')).toBe(theirs.replace('[ ]', '[=]'));
    });
  });

  it('that takes the task away stands, and nothing is written (#24)', async () => {
    const theirs = aBoard().withTask('AB-2').text();
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      const [written] = await Promise.all([
        writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: '=' }] }),
        whenAboutToReplace(ralphDir, () => saveByRename(file, theirs)),
      ]);
      expect(written).toEqual({ changed: false, missing: ['AB-1'] });
      expect(await readFile(file, 'utf8')).toBe(theirs);
    });
  });

  it('that breaks the board stands, and is named (#17, #24)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      const theirs = `<<<<<<< HEAD\n${BOARD.text()}`;
      const writing = writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: '=' }] });
      await Promise.all([
        expect(writing).rejects.toMatchObject({ code: 'BOARD_INVALID' }),
        whenAboutToReplace(ralphDir, () => saveByRename(file, theirs)),
      ]);
      expect(await readFile(file, 'utf8')).toBe(theirs);
    });
  });
});

describe('a save into the file that was just replaced', () => {
  /** Opens the board before we replace it, and lets a person use that file as soon as we did. */
  async function intoTheOldFile(file: string, act: (opened: number) => void): Promise<void> {
    const opened = openSync(file, 'r+');
    const { ino } = statSync(file);
    while (statSync(file).ino === ino) await setImmediate();
    act(opened);
    closeSync(opened);
  }
  const rewrite = (opened: number) => {
    ftruncateSync(opened);
    writeSync(opened, THEIRS, 0);
  };
  const NOTE = 'appended\n';
  const append = (opened: number) => writeSync(opened, NOTE, BOARD.text().length);
  const MARKED = BOARD.text().replace('[ ]', '[=]');

  it.each<[string, (file: string, opened: number) => void, string]>([
    ['gets its place back', (_file, opened) => rewrite(opened), BOTH],
    ['that appended is appended again', (_file, opened) => append(opened), MARKED + NOTE],
    [
      'is kept together with what others append meanwhile',
      (file, opened) => {
        append(opened);
        appendFileSync(file, 'also\n');
      },
      `${MARKED}also\n${NOTE}`,
    ],
    [
      'gives way to a later one',
      (file, opened) => {
        rewrite(opened);
        saveByRename(file, `${BOARD.text()}later\n`);
      },
      `${MARKED}later\n`,
    ],
  ])('%s (#24)', async (_name, act, expected) => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      const [written] = await Promise.all([
        writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: '=' }] }),
        intoTheOldFile(file, (opened) => act(file, opened)),
      ]);
      expect(written.missing).toEqual([]);
      expect(await readFile(file, 'utf8')).toBe(expected);
      expect(await readdir(ralphDir)).toEqual(['kanban.md']);
    });
  });
});

describe('a save that is under way', () => {
  it('is waited for, also when its first half is no board (#24)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      writeFileSync(file, THEIRS.slice(0, 5));
      const slowSave = async () => {
        for (let at = 5; at < THEIRS.length; at += 40) {
          await setTimeout(30);
          appendFileSync(file, THEIRS.slice(at, at + 40));
        }
      };
      const [written] = await Promise.all([
        writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: '=' }] }),
        slowSave(),
      ]);
      expect(written).toEqual({ changed: true, missing: [] });
      expect(await readFile(file, 'utf8')).toBe(BOTH);
    });
  });

  it('is waited for when its first half is a board without the task (#24)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      const half = THEIRS.indexOf('- [ ] **[AB-1]**');
      writeFileSync(file, THEIRS.slice(0, half));
      const [written] = await Promise.all([
        writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: '=' }] }),
        setTimeout(60).then(() => appendFileSync(file, THEIRS.slice(half))),
      ]);
      expect(written).toEqual({ changed: true, missing: [] });
      expect(await readFile(file, 'utf8')).toBe(BOTH);
    });
  });

  it('is waited for when the board is not there for a moment (#24)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      renameSync(file, `${file}~`);
      const [written] = await Promise.all([
        writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: '=' }] }),
        setTimeout(60).then(() => renameSync(`${file}~`, file)),
      ]);
      expect(written).toEqual({ changed: true, missing: [] });
    });
  });
});

describe('a person and a writer at work at once', () => {
  it('lose nothing of each other in a hundred saves (#24)', async () => {
    const ids = [...Array(20).keys()].map((n) => `AB-${n + 1}`);
    const board = ids.reduce((text, id) => text.withTask(id), aBoard()).with('## Notes');
    await withBoard(board, async ({ ralphDir, file }) => {
      const person = startChild('board/edits-like-a-person.mjs', [file, '100']);
      await person.says('note 0.');
      const moves = ['=', 'P', 'x'].flatMap((marker) => ids.map((id) => `${id}:${marker}`));
      const writer = startChild('board/writes-markers.mjs', [ralphDir, ...moves]);
      expect(await Promise.all([person.ended, writer.ended])).toEqual([0, 0]);

      const text = await readFile(file, 'utf8');
      const notes = text.split('\n').filter((line) => line.startsWith('note '));
      expect(notes.sort()).toEqual(person.said.sort());
      const { tasks, problems } = parseBoard(text);
      expect(tasks.map(({ id, marker }) => `${id} ${marker}`)).toEqual(ids.map((id) => `${id} x`));
      expect(problems).toEqual([]);
      expect(text.replaceAll('- [x]', '- [ ]').replace(/note .*\n/g, '')).toBe(board.text());
    });
  }, 60_000);
});
