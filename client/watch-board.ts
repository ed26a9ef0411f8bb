import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import {
  boardStatusQuery,
  boardWorkflowId,
  taskStatusQuery,
  taskWorkflowId,
} from '../workflows/contract.ts';
import type { BoardStatus, CardStatus, SweepSettings } from '../workflows/domain/sweep.ts';
import type { TaskStatus } from '../workflows/domain/task.ts';
import { isUnanswered } from './ask.ts';
import { viewOf, type BoardView } from './board-view.ts';

/** What one look at the board's workflow brought: three answers that must not be confused. */
export type Look =
  | { kind: 'view'; view: BoardView; settings: SweepSettings }
  | { kind: 'no-sweep' }
  | { kind: 'unanswered'; reason: string };

const ANSWER_MS = 5_000;
// Tasks that wait for a person do not change by themselves: they are asked now and then.
const RARELY = 10;

/** Looks at the board again and again; asks only those tasks that can have something new to say. */
export function watchBoard(client: Client, project: string): () => Promise<Look> {
  const known = new Map<string, { row: string; status: TaskStatus | undefined }>();
  let looks = 0;
  return async () => {
    const board = await ask(client, () =>
      client.workflow.getHandle(boardWorkflowId(project)).query(boardStatusQuery),
    );
    if (board.kind !== 'answer') return board;
    const rarely = looks % RARELY === 0;
    looks += 1;
    await Promise.all(
      board.answer.cards.map(async (card) => {
        const before = known.get(card.id);
        const row = JSON.stringify(card);
        const isMoving = card.open && (rarely || card.marker === '=');
        // A task that just ended is asked once more, for its cost and reason.
        if (!isMoving && (before === undefined ? !card.open : before.row === row)) return;
        const status = await askTaskStatus(client, project, card);
        known.set(card.id, { row, status: status ?? before?.status });
      }),
    );
    return { kind: 'view', view: join(board.answer, known), settings: board.answer.settings };
  };
}

/** Asks one task where it stands; undefined when it never ran or nobody answers. */
export async function askTaskStatus(
  client: Client,
  project: string,
  card: Pick<CardStatus, 'id'>,
): Promise<TaskStatus | undefined> {
  const asked = await ask(client, () =>
    client.workflow.getHandle(taskWorkflowId(project, card.id)).query(taskStatusQuery),
  );
  return asked.kind === 'answer' ? asked.answer : undefined;
}

async function ask<T>(
  client: Client,
  question: () => Promise<T>,
): Promise<{ kind: 'answer'; answer: T } | Exclude<Look, { kind: 'view' }>> {
  try {
    return { kind: 'answer', answer: await client.withDeadline(Date.now() + ANSWER_MS, question) };
  } catch (cause) {
    if (cause instanceof WorkflowNotFoundError) return { kind: 'no-sweep' };
    if (isUnanswered(cause)) return { kind: 'unanswered', reason: (cause as Error).message };
    throw cause;
  }
}

function join(
  board: BoardStatus,
  known: ReadonlyMap<string, { status: TaskStatus | undefined }>,
): BoardView {
  const statuses = new Map<string, TaskStatus>();
  for (const [id, { status }] of known) if (status) statuses.set(id, status);
  return viewOf(board, statuses);
}
