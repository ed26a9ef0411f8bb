import { whatBlocks } from '../../config/board-file.ts';
import { boardFile } from '../../config/open-board.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import type { BoardSnapshot } from '../../workflows/domain/sweep.ts';
import { readBoard } from './read-board.ts';
import { writeMarkers, type MarkerMove } from './write-markers.ts';

/**
 * Writes markers and returns the board as it then is; without moves it only reads. A board
 * that cannot be trusted is an error, not a board without tasks.
 */
export async function moveMarkers(order: {
  ralphDir: string;
  moves: MarkerMove[];
}): Promise<BoardSnapshot> {
  if (order.moves.length > 0) await writeMarkers(order);
  const snapshot = await readBoard({ ralphDir: order.ralphDir });
  const blocking = whatBlocks(snapshot);
  if (blocking)
    throw new WiggumError('BOARD_INVALID', `line ${blocking.line}: ${blocking.message}`, {
      where: boardFile(order.ralphDir),
    });
  return snapshot;
}
