import { constants, type BigIntStats, type Stats } from 'node:fs';
import { lstat, open, realpath, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Board } from '../workflows/domain/board.ts';
import { WiggumError } from '../workflows/domain/errors.ts';
import { parseBoard } from './board-file.ts';

/** A board that is open, with the bytes that were in it. */
export interface OpenBoard {
  file: string;
  handle: FileHandle;
  stats: BigIntStats;
  bytes: Buffer;
  text: string;
}

/** Boards beyond this size are refused: they would not fit into memory many times over. */
const LARGEST_BOARD = 16 * 1024 * 1024;
/** A file that was written this short a time ago may still be in the middle of being saved. */
export const SETTLE_MS = 20;
const SETTLE_TRIES = 100;
/** Some editors move the old file away before they write the new one. */
const MISSING_TRIES = 10;

/** Path of the board in a project's `.ralph` folder. */
export function boardFile(ralphDir: string): string {
  return join(ralphDir, 'kanban.md');
}

/** Reads a board as it stands, with the bytes that it was read from. */
export async function readBoardFile(path: string): Promise<{ board: Board; bytes: Buffer }> {
  const { handle, text, bytes } = await openBoard(await resolveBoard(path));
  await handle.close();
  return { board: parseBoard(text), bytes };
}

/** Finds the file behind a board's path: a rename over a symbolic link would replace the link. */
export async function resolveBoard(path: string): Promise<string> {
  try {
    return await unlessMissing(() => realpath(path));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const isLink = code === 'ENOENT' && (await lstat(path).catch(() => undefined));
    throw isLink ? unreadable(path, 'is a symbolic link that leads nowhere') : named(path, cause);
  }
}

/**
 * Opens and reads a board; the caller closes it. The board was left alone for a moment, so this is no
 * half of a save, and its time stamp tells every later change. Anything but a regular UTF-8 file is
 * refused by name.
 */
export async function openBoard(file: string): Promise<OpenBoard> {
  for (let tries = 1; ; tries += 1) {
    const board = await openOnce(file);
    if (tries === SETTLE_TRIES || isSame(board.stats, await board.handle.stat({ bigint: true })))
      return board;
    await board.handle.close();
  }
}

/** Whether a file was neither replaced nor written between two looks. */
export function isSame(before: BigIntStats, now: BigIntStats): boolean {
  return (
    now.dev === before.dev &&
    now.ino === before.ino &&
    now.size === before.size &&
    now.mtimeNs === before.mtimeNs
  );
}

/** Waits until a file has not been written for a moment, or for long enough. */
export async function settle(handle: FileHandle): Promise<void> {
  for (let tries = 0; tries < SETTLE_TRIES; tries += 1) {
    const age = Date.now() - (await handle.stat()).mtimeMs;
    // A time stamp from the future says nothing about the present.
    if (age >= SETTLE_MS || age < -SETTLE_MS) return;
    await sleep(SETTLE_MS - Math.max(0, age));
  }
}

async function openOnce(file: string): Promise<OpenBoard> {
  // Without O_NONBLOCK opening a FIFO would wait for its writer.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  const handle = await unlessMissing(() => open(file, flags)).catch((cause: unknown) => {
    throw named(file, cause);
  });
  try {
    const kind = kindOf(await handle.stat());
    if (kind !== 'a regular file') throw unreadable(file, `is ${kind}, not a regular file`);
    await settle(handle);
    const stats = await handle.stat({ bigint: true });
    if (stats.size > LARGEST_BOARD)
      throw unreadable(file, `has ${stats.size} bytes; ${LARGEST_BOARD} are the limit`);
    const bytes = await handle.readFile();
    return { file, handle, stats, bytes, text: decode(file, bytes) };
  } catch (cause) {
    await handle.close();
    throw cause;
  }
}

async function unlessMissing<Result>(look: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1)
    try {
      return await look();
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT' || tries === MISSING_TRIES)
        throw cause;
      await sleep(SETTLE_MS);
    }
}

/** Names what is wrong with a path that cannot be opened as a board. */
function named(file: string, cause: unknown): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new WiggumError('BOARD_MISSING', `There is no board: ${file} does not exist.`, {
      where: file,
      cause,
    });
  if (code === 'EACCES' || code === 'EPERM') return unreadable(file, 'is not readable for us');
  if (code === 'ELOOP') return unreadable(file, 'is a symbolic link that leads back to itself');
  if (code === 'ENXIO') return unreadable(file, 'is a socket, not a regular file');
  return cause;
}

/** The decoder would drop a byte order mark and with it one character of the file. */
const UTF8 = { fatal: true, ignoreBOM: true };

function decode(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', UTF8).decode(bytes);
  } catch {
    throw unreadable(file, `is not UTF-8 text: line ${firstBrokenLine(bytes)} cannot be read`);
  }
}

function firstBrokenLine(bytes: Buffer): number {
  let line = 1;
  for (let at = 0; at < bytes.length; line += 1) {
    const newline = bytes.indexOf(0x0a, at);
    const end = newline === -1 ? bytes.length : newline + 1;
    try {
      new TextDecoder('utf-8', UTF8).decode(bytes.subarray(at, end));
    } catch {
      return line;
    }
    at = end;
  }
  return line;
}

function unreadable(file: string, message: string): WiggumError {
  return new WiggumError('BOARD_UNREADABLE', `${file} ${message}`, { where: file });
}

function kindOf(stats: Stats): string {
  if (stats.isFile()) return 'a regular file';
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a FIFO';
  return 'a device';
}
