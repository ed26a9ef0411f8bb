import { mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ownFilesPrefix, withFileLock } from '../../../activities/file-lock.ts';
import { writeMarkers } from '../../../activities/board/write-markers.ts';
import { ownIdentity } from '../../../activities/process-identity.ts';
import { aBoard, withBoard } from '../../helpers/a-board.ts';
import { startChild } from '../../helpers/a-child.ts';

const BOARD = aBoard().withTask('AB-1');
const write = (ralphDir: string) =>
  writeMarkers({ ralphDir, moves: [{ id: 'AB-1', marker: 'x' }] });
const lockOf = (file: string) => `${ownFilesPrefix(file)}lock`;

describe('the lock of the board', () => {
  it('lets one in at a time, also within a process (#24)', async () => {
    await withBoard(BOARD, async ({ file }) => {
      let inside = 0;
      let most = 0;
      const turns = [...Array(12).keys()].map(() =>
        withFileLock(file, 'BOARD_BUSY', async () => {
          inside += 1;
          most = Math.max(most, inside);
          await setTimeout(2);
          inside -= 1;
        }),
      );
      await Promise.all(turns);
      expect(most).toBe(1);
    });
  });

  it('is given back when the work fails (#24)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      const failing = withFileLock(file, 'BOARD_BUSY', () =>
        Promise.reject(new Error('of the work')),
      );
      await expect(failing).rejects.toThrow('of the work');
      expect(await readdir(ralphDir)).toEqual(['kanban.md']);
    });
  });

  it('is waited for while its holder lives, and broken when it is dead (#24)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      const holder = startChild('board/holds-the-lock.mjs', [file]);
      try {
        await holder.says('held');
        const writing = write(ralphDir);
        expect(await Promise.race([writing, setTimeout(300, 'still waiting')])).toBe(
          'still waiting',
        );
        expect(await readFile(file, 'utf8')).toBe(BOARD.text());
        await holder.kill();
        expect(await writing).toEqual({ changed: true, missing: [] });
        expect(await readdir(ralphDir)).toEqual(['kanban.md']);
      } finally {
        await holder.kill();
      }
    });
  }, 20_000);

  it('of a dead holder is broken once, though many find it at the same time (#24)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      const holder = startChild('board/holds-the-lock.mjs', [file]);
      await holder.says('held');
      await holder.kill();
      let inside = 0;
      let most = 0;
      const turns = [...Array(20).keys()].map(() =>
        withFileLock(file, 'BOARD_BUSY', async () => {
          inside += 1;
          most = Math.max(most, inside);
          await setTimeout(1);
          inside -= 1;
        }),
      );
      await Promise.all(turns);
      expect(most).toBe(1);
      expect(await readdir(ralphDir)).toEqual(['kanban.md']);
    });
  }, 20_000);

  it('from before a reboot is broken, though its number runs again (#24)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      const { pid, startTicks } = await ownIdentity();
      await symlink(`${pid}|${startTicks}|another-boot|token`, lockOf(file));
      expect(await write(ralphDir)).toMatchObject({ changed: true });
    });
  });

  it('of an earlier process with the same number is broken (#24)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      const { pid, bootId } = await ownIdentity();
      await symlink(`${pid}|1|${bootId}|token`, lockOf(file));
      expect(await write(ralphDir)).toMatchObject({ changed: true });
    });
  });

  it.each(['nonsense', '../../%E0%A4%A', '|||'])(
    'that names nobody ("%s") is broken (#24)',
    async (target) => {
      await withBoard(BOARD, async ({ ralphDir, file }) => {
        await symlink(target, lockOf(file));
        expect(await write(ralphDir)).toMatchObject({ changed: true });
        expect(await readdir(ralphDir)).toEqual(['kanban.md']);
      });
    },
  );

  it('is not taken by force from what is no lock of ours (#24)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      await writeFile(lockOf(file), 'somebody’s file');
      await expect(write(ralphDir)).rejects.toMatchObject({
        code: 'BOARD_BUSY',
        message: expect.stringMatching(/is not a lock of ours; move it away/),
      });
      expect(await readFile(lockOf(file), 'utf8')).toBe('somebody’s file');
      await rm(lockOf(file));
    });
  });

  it('clears what killed writers left beside the board, and nothing else (#24)', async () => {
    await withBoard(BOARD, async ({ ralphDir, file }) => {
      await writeFile(`${ownFilesPrefix(file)}new-1234`, 'half');
      await writeFile(`${ownFilesPrefix(file)}new-1234-ready`, 'whole');
      await symlink('1|1|x|y', `${lockOf(file)}.0123abcd`);
      await writeFile(`${file}.lock`, 'of the original program');
      await writeFile(`${file}~`, 'of an editor');
      await mkdir(`${ralphDir}/plans`);
      await write(ralphDir);
      expect((await readdir(ralphDir)).sort()).toEqual([
        'kanban.md',
        'kanban.md.lock',
        'kanban.md~',
        'plans',
      ]);
    });
  });

  it('names its holder while it is held (#24)', async () => {
    await withBoard(BOARD, async ({ file }) => {
      const { pid, startTicks } = await ownIdentity();
      await withFileLock(file, 'BOARD_BUSY', async () => {
        expect(await readlink(lockOf(file))).toMatch(new RegExp(`^${pid}\\|${startTicks}\\|`));
      });
    });
  });
});
