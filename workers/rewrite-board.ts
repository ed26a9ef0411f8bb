import { editBoard } from '../activities/board/edit-board.ts';

/** Rewrites a whole board on a person's order, under the lock that markers are written under. */
export function rewriteBoard(path: string, edit: (text: string) => string): Promise<boolean> {
  return editBoard(path, (text) => ({ text: edit(text) }));
}
