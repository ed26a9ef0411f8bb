import type { BoardView, TaskView } from './board-view.ts';
import type { CommandContext, Log } from './command.ts';
import {
  boardLines,
  mostTelling,
  plainTaskLine,
  problemLines,
  summaryLine,
} from './render/board.ts';
import { counted } from './render/amounts.ts';
import { clip, redraw } from './render/redraw.ts';
import { cut } from './render/text.ts';

/** Where a followed board is shown. */
export interface Screen {
  /** For what others have to say meanwhile: their lines do not break the drawing. */
  log: Log;
  /** `head` stands above the table where there is one. */
  show(view: BoardView, head?: readonly string[]): void;
  /** The last view, with its summary. */
  end(view: BoardView): void;
}

type Surface = Pick<CommandContext, 'stdout' | 'log' | 'quiet'>;

/** Chooses the form: redrawn on a terminal, one line per change in a pipe, one object per change as JSON. */
export function openScreen(
  surface: Surface,
  options: { json: boolean; now?: () => number },
): Screen {
  const now = options.now ?? Date.now;
  if (options.json) return jsonScreen(surface);
  if (surface.stdout.isTerminal && !surface.quiet) return liveScreen(surface, now);
  return plainScreen(surface, now);
}

function liveScreen({ stdout, log }: Surface, now: () => number): Screen {
  let drawn: string[] = [];
  const draw = (lines: string[]) => {
    stdout.write(redraw(drawn.length, lines));
    drawn = lines;
  };
  const above = (say: (line: string) => void) => (line: string) => {
    const kept = drawn;
    draw([]);
    say(line);
    draw(kept);
  };
  const drawing = () => ({
    now: now(),
    // One column less: a full line would wrap on some terminals and break the count.
    columns: stdout.columns() - 1,
    colour: stdout.hasColour,
  });
  return {
    log: {
      debug: above((line) => log.debug(line)),
      info: above((line) => log.info(line)),
      warn: above((line) => log.warn(line)),
      error: above((line) => log.error(line)),
    },
    show: (view, head = []) => {
      const how = drawing();
      const narrow = (line: string) => cut(line, how.columns);
      const foot = [...problemLines(view), summaryLine(view)].map(narrow);
      const room = stdout.rows() - 2 - head.length - foot.length;
      const tasks = mostTelling(view.tasks, room);
      const hidden = view.tasks.length - tasks.length;
      const rest = hidden > 0 ? [narrow(`… and ${counted(hidden, 'more task')}`)] : [];
      const lines = [...boardLines({ ...view, tasks }, how), ...rest];
      draw(clip([...head.map(narrow), ...lines, ...foot], stdout.rows()));
    },
    end: (view) => {
      draw([...boardLines(view, drawing()), ...problemLines(view), summaryLine(view)]);
      drawn = [];
    },
  };
}

function plainScreen({ stdout, log, quiet }: Surface, now: () => number): Screen {
  const changes = changedTasks();
  const show = (view: BoardView) => {
    if (quiet) return;
    for (const task of changes(view)) stdout.write(`${plainTaskLine(task, now())}\n`);
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
      const { steps, mergeWaits, turns, costUsd, inputTokens, outputTokens, ...rest } = task;
      const { seconds, models, ...visible } = rest;
      const now = JSON.stringify(visible);
      if (seen.get(task.id) === now) return false;
      seen.set(task.id, now);
      return true;
    });
}
