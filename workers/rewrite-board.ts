import { realpath } from 'node:fs/promises';
import { withBoardLock } from '../activities/board/board-lock.ts';
import { openFailure, openSettledBoard } from '../activities/board/open-board.ts';
import { replaceBoard, writtenMeanwhile } from '../activities/board/replace-board.ts';
import { WiggumError } from '../workflows/domain/errors.ts';

const TRIES = 20;

/** Rewrites a whole board on a person's order, under the lock that markers are written under. */
export async function rewriteBoard(path: string, edit: (text: string) => string): Promise<boolean> {
  const file = await realpath(path).catch((cause: unknown) => {
    throw openFailure(path, cause);
  });
  return withBoardLock(file, async () => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const seen = await openSettledBoard(file);
      try {
        const text = edit(seen.text);
        if (text === seen.text) return false;
        if (!(await replaceBoard(seen, Buffer.from(text)))) continue;
        const theirs = await writtenMeanwhile(seen);
        if (!theirs) return true;
        // A save that came in the same moment gets its place back and is rewritten in its turn.
        await putBack(file, theirs);
      } finally {
        await seen.handle.close();
      }
    }
    throw new WiggumError(
      'BOARD_BUSY',
      `The board changed ${TRIES} times while it was rewritten.`,
      {
        where: file,
      },
    );
  });
}

async function putBack(file: string, theirs: Buffer): Promise<void> {
  const ours = await openSettledBoard(file);
  try {
    await replaceBoard(ours, theirs);
  } finally {
    await ours.handle.close();
  }
}
