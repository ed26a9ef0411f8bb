import { appendFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBoard, resolveBoard, type OpenBoard } from '../../config/open-board.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { withFileLock } from '../file-lock.ts';
import { holdsStill, replaceBoard, writtenMeanwhile } from './replace-board.ts';

/** Says what the board should read; an error refuses it. */
export type BoardEdit = (text: string) => {
  text: string;
  /** Something that should be there is not: perhaps only half of a save was read. */
  doubtful?: boolean;
};

const TRIES = 50;
const CONFIRM_MS = 100;

/**
 * Edits a board under its lock and says whether it changed. What people save meanwhile is never lost:
 * the edit is then made again on what they saved.
 */
export async function editBoard(path: string, edit: BoardEdit): Promise<boolean> {
  const file = await resolveBoard(path);
  try {
    return await withFileLock(file, 'BOARD_BUSY', () => editUnderLock(file, edit));
  } catch (cause) {
    throw named(file, cause);
  }
}

async function editUnderLock(file: string, edit: BoardEdit): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const seen = await openBoard(file);
    try {
      const changed = await tryOnce(seen, edit);
      if (changed !== undefined) return changed;
    } finally {
      await seen.handle.close();
    }
  }
  throw new WiggumError('BOARD_BUSY', `${file} changed ${TRIES} times while it was to be written`, {
    where: file,
  });
}

/** Undefined when the board changed under our hands and the whole must begin again. */
async function tryOnce(seen: OpenBoard, edit: BoardEdit): Promise<boolean | undefined> {
  let edited: ReturnType<BoardEdit>;
  try {
    edited = edit(seen.text);
  } catch (refusal) {
    if (await hasChanged(seen)) return undefined;
    throw refusal;
  }
  if (edited.doubtful && (await hasChanged(seen))) return undefined;
  if (edited.text === seen.text) return false;
  const ours = Buffer.from(edited.text);
  if (!(await replaceBoard(seen, ours))) return undefined;

  const theirs = await writtenMeanwhile(seen);
  if (!theirs) return true;
  await giveBack(seen, theirs, ours);
  return undefined;
}

/** A bad answer is given only when it stays. */
async function hasChanged(seen: OpenBoard): Promise<boolean> {
  await sleep(CONFIRM_MS);
  return !holdsStill(seen);
}

/** Brings a person's save from the file that was replaced into the one that is there; the edit then goes into it. */
async function giveBack(seen: OpenBoard, theirs: Buffer, ours: Buffer): Promise<void> {
  const before = seen.bytes.length;
  // What was only appended is appended again: that disturbs nobody who does the same.
  if (theirs.subarray(0, before).equals(seen.bytes))
    return appendFile(seen.file, theirs.subarray(before), { flush: true });
  const now = await openBoard(seen.file);
  try {
    // A later save stands: it would have replaced the earlier one without us too.
    if (now.bytes.equals(ours)) await replaceBoard(now, theirs);
  } finally {
    await now.handle.close();
  }
}

function named(file: string, cause: unknown): unknown {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (cause instanceof WiggumError || code === undefined) return cause;
  return new WiggumError('BOARD_UNWRITABLE', `${file} cannot be written: ${message}`, {
    where: file,
    cause,
  });
}
