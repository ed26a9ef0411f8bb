import { setTimeout as sleep } from 'node:timers/promises';
import type { BoardView } from './board-view.ts';
import type { Screen } from './screen.ts';
import type { Look } from './watch-board.ts';

export type Followed =
  { kind: 'ended'; view: BoardView } | { kind: 'host-gone' } | { kind: 'interrupted' };

export interface Following {
  look: () => Promise<Look>;
  screen: Screen;
  signal: AbortSignal;
  /** Whether what was waited for has come. */
  isOver: (view: BoardView) => boolean;
  /** Whether somebody still serves the workflows; without anybody, waiting has no end. */
  isHosted: () => Promise<boolean>;
  everyMs?: number;
}

/** Shows the board until what the caller waits for has come, its host has gone, or a person ends it. */
export async function follow(following: Following): Promise<Followed> {
  const { look, screen, signal, isOver, isHosted, everyMs = 1_000 } = following;
  let isSilent = false;
  while (!signal.aborted) {
    const seen = await look();
    if (seen.kind === 'view') {
      if (isSilent) screen.log.info('the board answers again');
      isSilent = false;
      if (isOver(seen.view)) return { kind: 'ended', view: seen.view };
      screen.show(seen.view);
    } else if (seen.kind === 'unanswered') {
      // A busy or restarting server is no reason to leave; it is said once.
      if (!isSilent) screen.log.info(`the board does not answer yet (${seen.reason}); waiting`);
      isSilent = true;
    }
    if (!(await isHosted())) return { kind: 'host-gone' };
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
  return { kind: 'interrupted' };
}
