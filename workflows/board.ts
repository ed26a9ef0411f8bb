import { setHandler } from '@temporalio/workflow';
import type { BoardInput } from './board-input.ts';
import { BoardRun } from './board-run.ts';
import type { StartOrder } from './domain/sweep.ts';
import { boardStatusQuery, startTaskUpdate, sweepUpdate, taskMovedSignal } from './contract.ts';

/** The board: the only writer of its file, and the one that decides which task runs when. */
export async function boardWorkflow(input: BoardInput): Promise<void> {
  const board = new BoardRun(input);
  setHandler(boardStatusQuery, () => board.status());
  setHandler(sweepUpdate, (settings) => board.sweep(settings));
  setHandler(taskMovedSignal, (move) => board.hear(move));
  setHandler(startTaskUpdate, (order) => board.take(order), {
    validator: ({ id }: StartOrder) => board.refuseIfOpen(id),
  });
  await board.toTheEnd();
}
