import { whatBlocks } from '../../config/board-file.ts';
import type { Marker } from '../../workflows/domain/board.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import type { BoardSnapshot } from '../../workflows/domain/sweep.ts';
import { boardFile } from './open-board.ts';
import { readBoard } from './read-board.ts';
import { writeMarker } from './write-marker.ts';

/**
 * Writes markers in order and returns the board as it then is; without moves it only reads. A board
 * that cannot be trusted is an error, not a board without tasks.
 */
export async function moveMarkers(order: {
  ralphDir: string;
  moves: { id: string; marker: Marker }[];
}): Promise<BoardSnapshot> {
  for (const { id, marker } of order.moves)
    await writeMarker({ ralphDir: order.ralphDir, id, marker });
  const snapshot = await readBoard({ ralphDir: order.ralphDir });
  const blocking = whatBlocks(snapshot);
  if (blocking)
    throw new WiggumError('BOARD_INVALID', `line ${blocking.line}: ${blocking.message}`, {
      where: boardFile(order.ralphDir),
    });
  return snapshot;
}
