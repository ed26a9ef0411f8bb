import type { BoardView, TaskView } from '../../client/board-view.ts';
import type { Screen } from '../../client/screen.ts';

/** Makes one row of a board as people see it: pending, with nothing to say. */
export function aTask(id: string, differences: Partial<Omit<TaskView, 'id'>> = {}): TaskView {
  return {
    id,
    title: `Title of ${id}`,
    marker: ' ',
    priority: 'MEDIUM',
    line: 1,
    state: 'pending',
    step: null,
    why: '',
    open: false,
    needsHuman: false,
    ...differences,
  };
}

/** Makes a board of rows that is not being worked off. */
export function aView(
  tasks: readonly TaskView[],
  differences: Partial<Omit<BoardView, 'tasks'>> = {},
): BoardView {
  return { sweeping: false, tasks: [...tasks], cycles: [], problems: [], ...differences };
}

/** A screen that remembers what it was shown and told. */
export function aScreen(): Screen & { shown: BoardView[]; said: string[] } {
  const shown: BoardView[] = [];
  const said: string[] = [];
  const say = (level: string) => (line: string) => void said.push(`${level}: ${line}`);
  return {
    shown,
    said,
    log: { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') },
    show: (view) => void shown.push(view),
    end: (view) => void shown.push(view),
  };
}
