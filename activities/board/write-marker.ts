import { readFile, realpath } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseBoard, setMarker, whatBlocks } from '../../config/board-file.ts';
import type { Board, Marker } from '../../workflows/domain/board.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { withBoardLock } from './board-lock.ts';
import { boardFile, openFailure, openSettledBoard, type OpenBoard } from './open-board.ts';
import { replaceBoard, writtenMeanwhile } from './replace-board.ts';

export interface MarkerChange {
  ralphDir: string;
  id: string;
  marker: Marker;
}

export interface MarkerWritten {
  changed: boolean;
  /** False when no task of that id is on the board: then nothing is written. */
  found: boolean;
}

const TRIES = 50;
const CONFIRM_MS = 100;

/** Writes one marker into the board and leaves every other byte as it is, also what people save meanwhile. */
export async function writeMarker(change: MarkerChange): Promise<MarkerWritten> {
  const path = boardFile(change.ralphDir);
  // A rename over a symbolic link would replace the link: work on what it leads to.
  const file = await realpath(path).catch((cause: unknown) => {
    throw openFailure(path, cause);
  });
  try {
    return await withBoardLock(file, () => writeUnderLock(file, change));
  } catch (cause) {
    throw asBoardError(file, cause);
  }
}

async function writeUnderLock(file: string, change: MarkerChange): Promise<MarkerWritten> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const seen = await openSettledBoard(file);
    try {
      const written = await tryOnce(seen, change);
      if (written) return written;
    } finally {
      await seen.handle.close();
    }
  }
  throw new WiggumError('BOARD_BUSY', `${file} changed ${TRIES} times while it was to be written`, {
    where: file,
  });
}

/** Undefined when the board changed under our hands and the whole must begin again. */
async function tryOnce(seen: OpenBoard, change: MarkerChange): Promise<MarkerWritten | undefined> {
  const text = setMarker(seen.text, change.id, change.marker);
  const refusal = whyRefused(parseBoard(seen.text), text === undefined ? change.id : undefined);
  if (refusal !== undefined || text === undefined) {
    // Perhaps half of a save: a bad answer is given only when it stays.
    await sleep(CONFIRM_MS);
    if (!(await readFile(seen.file)).equals(seen.bytes)) return undefined;
    if (refusal) throw new WiggumError('BOARD_INVALID', refusal, { where: seen.file });
    return { changed: false, found: false };
  }
  if (text === seen.text) return { changed: false, found: true };
  if (!(await replaceBoard(seen, Buffer.from(text)))) return undefined;

  const theirs = await writtenMeanwhile(seen);
  if (!theirs) return { changed: true, found: true };
  await putBack(seen.file, theirs);
  return undefined;
}

/** A board that cannot be understood is not written, nor a task on it that could not be marked. */
function whyRefused(board: Board, unmarked: string | undefined): string | undefined {
  const blocking = whatBlocks(board);
  if (blocking) return `line ${blocking.line}: ${blocking.message}`;
  const task = board.tasks.find(({ id }) => id === unmarked);
  return task && `line ${task.line}: ${task.id} stands on the board more than once`;
}

/** Gives a person's save its place back; the marker then goes into it. */
async function putBack(file: string, theirs: Buffer): Promise<void> {
  const ours = await openSettledBoard(file);
  try {
    await replaceBoard(ours, theirs);
  } finally {
    await ours.handle.close();
  }
}

function asBoardError(file: string, cause: unknown): unknown {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (cause instanceof WiggumError || code === undefined) return cause;
  return new WiggumError('BOARD_UNWRITABLE', `${file} cannot be written: ${message}`, {
    where: file,
    cause,
  });
}
