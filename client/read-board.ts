import { lstat, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseBoard } from '../config/board-file.ts';
import type { Board } from '../workflows/domain/board.ts';
import { WiggumError } from '../workflows/domain/errors.ts';

export const boardFileOf = (ralphDir: string): string => join(ralphDir, 'kanban.md');

/** Reads a board file; only regular UTF-8 files, so that a pipe cannot hang a command. */
export async function readBoardFile(file: string): Promise<{ text: string; board: Board }> {
  const found = await stat(file).catch(async (cause: NodeJS.ErrnoException) => {
    const isBrokenLink = await lstat(file).then(
      () => true,
      () => false,
    );
    if (cause.code === 'ENOENT' && !isBrokenLink)
      throw new WiggumError('BOARD_MISSING', 'There is no board.', { where: file, cause });
    throw new WiggumError('BOARD_UNREADABLE', `The board cannot be read: ${cause.message}`, {
      where: file,
      cause,
    });
  });
  if (!found.isFile())
    throw new WiggumError('BOARD_UNREADABLE', 'The board is not a regular file.', { where: file });
  const bytes = await readFile(file).catch((cause: Error) => {
    throw new WiggumError('BOARD_UNREADABLE', `The board cannot be read: ${cause.message}`, {
      where: file,
      cause,
    });
  });
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, board: parseBoard(text) };
  } catch (cause) {
    throw new WiggumError('BOARD_UNREADABLE', 'The board is not valid UTF-8.', {
      where: file,
      cause,
    });
  }
}
