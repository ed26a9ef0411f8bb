import type { BoardView, TaskView } from './board-view.ts';
import type { CommandContext, Log } from './command.ts';
import { boardLines, plainTaskLine, problemLines, summaryLine } from './render/board.ts';
import { clip, redraw } from './render/redraw.ts';

/** Where a followed board is shown. */
export interface Screen {
  /** For what others have to say meanwhile: their lines do not break the drawing. */
  log: Log;
  show(view: BoardView): void;
  /** The last view, with its summary. */
  end(view: BoardView): void;
}

/** Chooses the form: redrawn on a terminal, one line per change in a pipe, one object per change as JSON. */
export function openScreen(
  context: Pick<CommandContext, 'stdout' | 'log' | 'quiet'>,
  options: { json: boolean; now?: () => number },
): Screen {
  if (options.json) return jsonScreen(context);
  if (context.stdout.isTerminal && !context.quiet)
    return liveScreen(context, options.now ?? Date.now);
  return plainScreen(context);
}

type Surface = Pick<CommandContext, 'stdout' | 'log' | 'quiet'>;

function liveScreen({ stdout, log }: Surface, now: () => number): Screen {
  let drawn: string[] = [];
  const draw = (lines: string[]) => {
    stdout.write(redraw(drawn.length, lines));
    drawn = lines;
  };
  const linesOf = (view: BoardView) => {
    const drawing = { now: now(), columns: stdout.columns() - 1, colour: stdout.hasColour };
    return [...boardLines(view, drawing), ...problemLines(view), summaryLine(view)];
  };
  const above = (say: (line: string) => void) => (line: string) => {
    const kept = drawn;
    draw([]);
    say(line);
    draw(kept);
  };
  return {
    log: {
      debug: above((line) => log.debug(line)),
      info: above((line) => log.info(line)),
      warn: above((line) => log.warn(line)),
      error: above((line) => log.error(line)),
    },
    show: (view) => draw(clip(linesOf(view), stdout.rows())),
    end: (view) => {
      draw(linesOf(view));
      drawn = [];
    },
  };
}

function plainScreen({ stdout, log, quiet }: Surface): Screen {
  const changes = changedTasks();
  const show = (view: BoardView) => {
    if (quiet) return;
    for (const task of changes(view)) stdout.write(`${plainTaskLine(task)}\n`);
  };
  return {
    log,
    show,
    end: (view) => {
      show(view);
      for (const line of problemLines(view)) log.warn(line);
      stdout.write(`${summaryLine(view)}\n`);
    },
  };
}

/** Newline-delimited: `{"task": …}` for each change, `{"summary": …, "tasks": […]}` at the end. */
function jsonScreen({ stdout, log }: Surface): Screen {
  const changes = changedTasks();
  const show = (view: BoardView) => {
    for (const task of changes(view)) stdout.write(`${JSON.stringify({ task })}\n`);
  };
  return {
    log,
    show,
    end: (view) => {
      show(view);
      stdout.write(`${JSON.stringify({ summary: summaryLine(view), ...view })}\n`);
    },
  };
}

/** The tasks that look different from the last time. */
function changedTasks(): (view: BoardView) => TaskView[] {
  const seen = new Map<string, string>();
  return (view) =>
    view.tasks.filter((task) => {
      const { steps: _steps, turns: _turns, costUsd: _cost, ...visible } = task;
      const now = JSON.stringify(visible);
      if (seen.get(task.id) === now) return false;
      seen.set(task.id, now);
      return true;
    });
}
