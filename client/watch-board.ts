import { isDeepStrictEqual } from 'node:util';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import {
  boardStatusQuery,
  boardWorkflowId,
  taskStatusQuery,
  taskWorkflowId,
} from '../workflows/contract.ts';
import type { CardStatus, SweepSettings } from '../workflows/domain/sweep.ts';
import type { TaskStatus } from '../workflows/domain/task.ts';
import { isUnanswered } from './ask.ts';
import { viewOf, type BoardView } from './board-view.ts';
import { heldUpBy, isWorthAsking } from './held-up-work.ts';

/** What one look at the board's workflow brought: three answers that must not be confused. */
export type Look =
  | { kind: 'view'; view: BoardView; settings: SweepSettings }
  | { kind: 'no-sweep' }
  | { kind: 'unanswered'; reason: string };

const ANSWER_MS = 5_000;
// Tasks that wait for a person do not change by themselves: they are asked now and then.
const RARELY = 10;

/** What is remembered of a task between two looks. */
interface Known {
  row: string;
  status: TaskStatus | undefined;
  /** When its status was first seen as it is. */
  changedAt: number;
  /** When the server was last asked what holds it up. */
  askedAt: number;
  heldUp: string | undefined;
}

/** Looks at the board again and again; asks only those tasks that can have something new to say. */
export function watchBoard(
  client: Client,
  project: string,
  clock: () => number = Date.now,
): () => Promise<Look> {
  const known = new Map<string, Known>();
  let looks = 0;
  return async () => {
    const board = await ask(client, () =>
      client.workflow.getHandle(boardWorkflowId(project)).query(boardStatusQuery),
    );
    if (board.kind !== 'answer') return board;
    const isFirst = looks === 0;
    const rarely = looks % RARELY === 0;
    looks += 1;
    const lookAtTask = async (card: CardStatus): Promise<void> => {
      const before = known.get(card.id);
      const row = JSON.stringify(card);
      const isMoving = card.open && (rarely || card.marker === '=');
      // A task that just ended is asked once more, for its cost and reason.
      if (!isMoving && (before === undefined ? !card.open : before.row === row)) return;
      const status = (await askTaskStatus(client, project, card)) ?? before?.status;
      const now = clock();
      const isSame = before !== undefined && isDeepStrictEqual(status, before.status);
      const task: Known = isSame
        ? { ...before, row }
        : { row, status, changedAt: now, askedAt: before?.askedAt ?? 0, heldUp: undefined };
      known.set(card.id, task);
      // Of the past the first look knows nothing, and it may be the only one.
      if (!card.open || !(isFirst || isWorthAsking(now, task))) return;
      task.askedAt = now;
      task.heldUp = await askWhatHoldsUp(client, project, card);
    };
    await Promise.all(board.answer.cards.map(lookAtTask));
    return {
      kind: 'view',
      view: viewOf(board.answer, known),
      settings: board.answer.settings,
    };
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

/** Only the server knows of attempts that fail: the workflow sees the end of the last one. */
async function askWhatHoldsUp(
  client: Client,
  project: string,
  { id }: CardStatus,
): Promise<string | undefined> {
  const asked = await ask(client, () =>
    client.workflow.getHandle(taskWorkflowId(project, id)).describe(),
  );
  return asked.kind === 'answer' ? heldUpBy(asked.answer.raw.pendingActivities ?? []) : undefined;
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
