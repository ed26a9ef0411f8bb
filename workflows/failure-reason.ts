import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure } from '@temporalio/workflow';

const MAX_REASON = 2_000;

/** What a person reads of an error: the words of the innermost cause, bounded. */
export function reasonOf(error: unknown): string {
  let cause = error;
  while ((cause instanceof ActivityFailure || cause instanceof ChildWorkflowFailure) && cause.cause)
    cause = cause.cause;
  const text =
    cause instanceof ApplicationFailure && cause.type
      ? `${cause.message} (${cause.type})`
      : cause instanceof Error
        ? cause.message
        : String(cause);
  return text.slice(0, MAX_REASON);
}
