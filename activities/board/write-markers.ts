import { parseBoard, setMarker, whatBlocks } from '../../config/board-file.ts';
import { boardFile } from '../../config/open-board.ts';
import type { Marker } from '../../workflows/domain/board.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { editBoard } from './edit-board.ts';

export interface MarkerMove {
  id: string;
  marker: Marker;
}

export interface MarkersWritten {
  changed: boolean;
  /** Ids that are not on the board any more: nothing is written for them. */
  missing: string[];
}

/**
 * Writes markers into the board, all in one step, and leaves every other byte as it is, also what people
 * save meanwhile. Where one of them cannot be placed the others are written first, then that is said.
 */
export async function writeMarkers(order: {
  ralphDir: string;
  moves: readonly MarkerMove[];
}): Promise<MarkersWritten> {
  const file = boardFile(order.ralphDir);
  let marked: Marked = { text: '', missing: [], unclear: [] };
  const changed = await editBoard(file, (text) => {
    marked = mark(text, order.moves, file);
    return { text: marked.text, doubtful: marked.missing.length + marked.unclear.length > 0 };
  });
  const { missing, unclear } = marked;
  if (unclear.length > 0) throw invalid(unclear.join('\n'), file);
  return { changed, missing };
}

interface Marked {
  text: string;
  missing: string[];
  unclear: string[];
}

function mark(text: string, moves: readonly MarkerMove[], file: string): Marked {
  const board = parseBoard(text);
  const blocking = whatBlocks(board);
  if (blocking) throw invalid(`line ${blocking.line}: ${blocking.message}`, file);
  const marked: Marked = { text, missing: [], unclear: [] };
  for (const { id, marker } of moves) {
    const task = board.tasks.find((candidate) => candidate.id === id);
    const next = setMarker(marked.text, id, marker);
    if (next !== undefined) marked.text = next;
    else if (task)
      marked.unclear.push(`line ${task.line}: ${id} stands on the board more than once`);
    else marked.missing.push(id);
  }
  return marked;
}

/** A board that cannot be understood is not written, nor a task on it that could not be marked. */
function invalid(message: string, file: string): WiggumError {
  return new WiggumError('BOARD_INVALID', message, { where: file });
}
