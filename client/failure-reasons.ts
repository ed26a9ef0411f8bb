import type { TaskView } from './board-view.ts';
import { failureReason, newestRuns } from './task-runs.ts';
import type { Look } from './watch-board.ts';

/** Adds to each look why tasks failed in earlier runs: their workflows are gone, their files are not. */
export function withReasons(look: () => Promise<Look>, ralphDir: string): () => Promise<Look> {
  const known = new Map<string, string>();
  return async () => {
    const seen = await look();
    if (seen.kind !== 'view' || !seen.view.tasks.some(isUnexplained)) return seen;
    const tasks = seen.view.tasks.map(async (task) =>
      isUnexplained(task) ? { ...task, why: await reasonOf(task, ralphDir, known) } : task,
    );
    return { ...seen, view: { ...seen.view, tasks: await Promise.all(tasks) } };
  };
}

function isUnexplained({ state, why }: TaskView): boolean {
  return state === 'failed' && why === '';
}

async function reasonOf(
  { id }: TaskView,
  ralphDir: string,
  known: Map<string, string>,
): Promise<string> {
  const run = (await newestRuns(ralphDir)).get(id);
  if (!run) return '';
  const reason = known.get(run.folder) ?? (await failureReason(run.folder)) ?? '';
  known.set(run.folder, reason);
  return reason;
}
