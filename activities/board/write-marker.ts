import { parseBoard, setMarker, whatBlocks } from '../../config/board-file.ts';
import type { Marker } from '../../workflows/domain/board.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { editBoard } from './edit-board.ts';
import { boardFile } from './open-board.ts';

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

/** Writes one marker into the board and leaves every other byte as it is, also what people save meanwhile. */
export async function writeMarker({ ralphDir, id, marker }: MarkerChange): Promise<MarkerWritten> {
  const file = boardFile(ralphDir);
  let found = false;
  const changed = await editBoard(file, (text) => {
    refuseUnclear(text, id, file);
    const marked = setMarker(text, id, marker);
    found = marked !== undefined;
    return marked;
  });
  return { changed, found };
}

/** A board that cannot be understood is not written, nor a task on it that could not be marked. */
function refuseUnclear(text: string, id: string, file: string): void {
  const board = parseBoard(text);
  const blocking = whatBlocks(board);
  const task = board.tasks.find((candidate) => candidate.id === id);
  const isUnclear = task && setMarker(text, id, task.marker) === undefined;
  const problem =
    blocking ??
    (isUnclear && { line: task.line, message: `${id} stands on the board more than once` });
  if (problem)
    throw new WiggumError('BOARD_INVALID', `line ${problem.line}: ${problem.message}`, {
      where: file,
    });
}
