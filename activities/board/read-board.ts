import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { boardFile, readBoardFile } from '../../config/open-board.ts';
import type { Card, Task } from '../../workflows/domain/board.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import type { BoardSnapshot } from '../../workflows/domain/sweep.ts';

/** Reads the board as the scheduler needs it, with a hash that tells equal readings. */
export async function readBoard({ ralphDir }: { ralphDir: string }): Promise<BoardSnapshot> {
  const [{ board, bytes }, plans] = await Promise.all([
    readBoardFile(boardFile(ralphDir)),
    listPlans(ralphDir),
  ]);
  const cards = board.tasks.map((task): Card => {
    const { id, title, marker, priority, dependencies, line } = task;
    return { id, title, marker, priority, dependencies, line, hasPlan: plans.has(`${id}.md`) };
  });
  // A plan that appears changes the order of the tasks: it belongs to the reading.
  const planned = cards.filter((card) => card.hasPlan).map((card) => card.id);
  const hash = createHash('sha256').update(bytes).update(`\0${planned.join()}`).digest('hex');
  return { hash, cards, archived: board.archived, problems: board.problems };
}

/** Reads one whole task from the board. */
export async function readTask({ ralphDir, id }: { ralphDir: string; id: string }): Promise<Task> {
  const { board } = await readBoardFile(boardFile(ralphDir));
  const task = board.tasks.find((candidate) => candidate.id === id);
  if (!task)
    throw new WiggumError('TASK_UNKNOWN', `${id} is not on the board`, {
      where: boardFile(ralphDir),
    });
  return task;
}

async function listPlans(ralphDir: string): Promise<Set<string>> {
  const names = await readdir(join(ralphDir, 'plans')).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return [];
    throw cause;
  });
  return new Set(names);
}
