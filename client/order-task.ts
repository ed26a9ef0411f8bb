import type { Client } from '@temporalio/client';
import type { Project } from '../config/project.ts';
import type { BoardView, TaskView } from './board-view.ts';
import type { CommandContext } from './command.ts';
import { readFileView } from './file-view.ts';
import { follow, type Followed } from './follow.ts';
import { findHost, withHost, type Hosting } from './hosting.ts';
import { openScreen, type Screen } from './screen.ts';
import { watchBoard, type Look } from './watch-board.ts';

export interface TaskOrder {
  project: Project;
  id: string;
  /** What other commands read of the process that hosts for this. */
  purpose: string;
  /** Gives the order; called once, when somebody serves the workflows. */
  give: (client: Client) => Promise<void>;
  /** Whether the order is carried out; `before` is the task when it was given. */
  isOver: (task: TaskView, before: TaskView | undefined) => boolean;
}

export type Carried =
  | { kind: 'ended'; task: TaskView }
  /** Somebody took the task from the board. */
  | { kind: 'vanished' }
  /** The process that served the task ended first. */
  | { kind: 'host-gone'; pid: number }
  | { kind: 'interrupted' };

/** Gives an order to one task and shows it until the order is carried out; hosts when nobody does. */
export async function carryOut(
  order: TaskOrder,
  context: CommandContext,
  { json }: { json: boolean },
): Promise<Carried> {
  const { project, purpose, id } = order;
  const screen = openScreen(context, { json });
  const { environment, signal } = context;
  const progress: Progress = { isGiven: false, before: undefined };
  for (;;) {
    const { followed, attachedTo } = await withHost(
      { project, environment, purpose, log: screen.log, signal },
      async (hosting) => ({
        followed: await orderThrough(order, progress, { hosting, screen, signal }),
        attachedTo: hosting.attachedTo,
      }),
    );
    switch (followed.kind) {
      case 'ended':
        screen.end(followed.view);
        return outcomeOf(followed.view);
      case 'interrupted':
        return followed;
      case 'host-gone': {
        // The one that we look at lives: only the server has moved.
        if (attachedTo && (await findHost(project.ralphDir))) continue;
        // Its last word may have been too late for us: then the files tell how it ended.
        const view = narrow(await readFileView(project.ralphDir), id);
        if (view.tasks[0]?.state !== 'paused') {
          screen.end(view);
          return outcomeOf(view);
        }
        if (attachedTo?.purpose === 'run') return { kind: 'host-gone', pid: attachedTo.pid };
        // Who hosted for another task has done its part: the work goes on here.
      }
    }
  }
}

interface Progress {
  isGiven: boolean;
  before: TaskView | undefined;
}

async function orderThrough(
  { project, id, give, isOver }: TaskOrder,
  progress: Progress,
  around: { hosting: Hosting; screen: Screen; signal: AbortSignal },
): Promise<Followed> {
  const { client, isServed } = around.hosting;
  const board = watchBoard(client, project.id);
  const look = async (): Promise<Look> => {
    const seen = await board();
    return seen.kind === 'view' ? { ...seen, view: narrow(seen.view, id) } : seen;
  };
  if (!progress.isGiven) {
    const seen = await look();
    if (seen.kind === 'view') progress.before = seen.view.tasks[0];
    await give(client);
    progress.isGiven = true;
  }
  return follow({
    look,
    screen: around.screen,
    signal: around.signal,
    isOver: ({ tasks: [task] }) => !task || isOver(task, progress.before),
    isHosted: isServed,
  });
}

function narrow(view: BoardView, id: string): BoardView {
  const tasks = view.tasks.filter((task) => task.id === id);
  return { ...view, tasks, problems: [], cycles: [] };
}

function outcomeOf({ tasks: [task] }: BoardView): Carried {
  return task ? { kind: 'ended', task } : { kind: 'vanished' };
}
