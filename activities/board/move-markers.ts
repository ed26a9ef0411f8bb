import type { Marker } from '../../workflows/domain/board.ts';
import type { BoardSnapshot } from '../../workflows/domain/sweep.ts';
import { readBoard } from './read-board.ts';
import { writeMarker } from './write-marker.ts';

/** Writes markers in order and returns the board as it then is; without moves it only reads. */
export async function moveMarkers(order: {
  ralphDir: string;
  moves: { id: string; marker: Marker }[];
}): Promise<BoardSnapshot> {
  for (const { id, marker } of order.moves)
    await writeMarker({ ralphDir: order.ralphDir, id, marker });
  return readBoard({ ralphDir: order.ralphDir });
}
