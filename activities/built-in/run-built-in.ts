import { Context } from '@temporalio/activity';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { own } from '../../workflows/domain/steps.ts';
import { signalDone } from './batch-signal-done.ts';
import { signalFailed } from './batch-signal-failed.ts';
import { waitTurn } from './batch-wait-turn.ts';
import type { BuiltIn, BuiltInEnd, BuiltInOrder, BuiltInWait } from './built-in-order.ts';
import { commitPush } from './git-commit-push.ts';
import { syncMain } from './git-sync-main.ts';

/** `workflow.pr-merge` is not among them: merges take their turn in the workflow. */
const AGENTS: Readonly<Record<string, BuiltIn>> = {
  'workflow.git-sync-main': syncMain,
  'workflow.git-commit-push': commitPush,
  'workflow.batch-wait-turn': waitTurn,
  'workflow.batch-signal-done': signalDone,
  'workflow.batch-signal-failed': signalFailed,
};

const BEAT_EVERY_MS = 1_000;

/** Runs an agent that asks no model. */
export async function runBuiltIn(order: BuiltInOrder): Promise<BuiltInEnd | BuiltInWait> {
  const { cancellationSignal, heartbeat } = Context.current();
  cancellationSignal.throwIfAborted();
  const perform = own(AGENTS, order.agent);
  if (!perform)
    throw new WiggumError('AGENT_MISSING', `${order.agent} is no agent that runs without a model`, {
      where: order.step,
    });
  // A cancellation arrives only in answer to a heartbeat.
  const beat = setInterval(() => heartbeat({ agent: order.agent }), BEAT_EVERY_MS);
  try {
    return await perform(order);
  } finally {
    clearInterval(beat);
  }
}
