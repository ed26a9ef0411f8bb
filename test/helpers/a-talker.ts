import { readLedger, type LedgerEntry } from '../../client/demo-ledger.ts';
import { writesAfter } from './scripts.ts';
import { eventually } from './with-world.ts';

/** A minute of talk: longer than a test needs on a slow machine, and over at once when it may end. */
const ACTIONS = 150;
const GO = '{{project_dir}}/../go';
const ACTION = `trap "" TERM; test -e ${GO} || sleep 0.4`;

/**
 * A scenario part: an agent that only SIGKILL ends and that leaves a line in the ledger every moment,
 * so that two of them at once are seen. It ends when there is a file `go` beside the project.
 */
export function talksForAWhile(id: string, file: string): string {
  return writesAfter(id, file, [
    'ignore_sigterm: true',
    ...Array<string>(ACTIONS).fill(`run: ${JSON.stringify(ACTION)}`),
    `wait_for: ${JSON.stringify(GO)}`,
    `append: { path: ${file}, content: "more\\n" }`,
  ]);
}

/** The ledger when some more actions have been begun. */
export async function ledgerAfter(file: string, { actions }: { actions: number }) {
  const before = (await readLedger(file)).length;
  return eventually(async () => {
    const entries = await readLedger(file);
    return entries.length >= before + actions ? entries : undefined;
  }, `${actions} more actions`);
}

/** Who spoke in a turn, in order; somebody who is heard again after another one is named again. */
export function pidsInOrder(entries: readonly LedgerEntry[], key: string): number[] {
  const pids = entries.filter((entry) => entry.key === key).map(({ pid }) => pid);
  return pids.filter((pid, at) => pid !== pids[at - 1]);
}
