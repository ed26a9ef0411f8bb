import { boardFile, readBoardFile } from '../config/open-board.ts';
import { readPullRequests } from '../config/pull-request-file.ts';
import type { Board, Task } from '../workflows/domain/board.ts';
import { describeReason, invalidTasks, schedule } from '../workflows/domain/schedule.ts';
import { viewOfFile, type BoardView, type CardOnFile } from './board-view.ts';
import { failureReason, newestRuns, type TaskRunFolder } from './task-runs.ts';

/** A task whose workflow is open, as the server's index tells it. */
export interface OpenRun {
  step?: string;
}

/** The board when nobody can be asked: its markers, for what each task waits, and why some failed. */
export async function readFileView(
  ralphDir: string,
  open: ReadonlyMap<string, OpenRun> = new Map(),
): Promise<BoardView> {
  const { board } = await readBoardFile(boardFile(ralphDir));
  const { waits, cycles } = whatWaits(board);
  const runs = await newestRuns(ralphDir);
  const { pullRequests } = await readPullRequests(ralphDir);
  const cards = board.tasks.map(async (task): Promise<CardOnFile> => {
    const { id, title, marker, priority, line } = task;
    const run = runs.get(id);
    const openRun = open.get(id);
    const pullRequest = pullRequests.findLast(
      ({ taskId, state }) => taskId === id && (marker !== 'P' || state === 'open'),
    )?.number;
    return {
      ...{ id, title, marker, priority, line, open: openRun !== undefined },
      why: await whyOf(task, { wait: waits.get(id), run, openRun, pullRequest }),
      ...(openRun?.step !== undefined && { step: openRun.step }),
      ...(pullRequest !== undefined && { pullRequest }),
      ...(run && { workerDir: run.folder }),
    };
  });
  return viewOfFile(await Promise.all(cards), { problems: board.problems, cycles });
}

/** Asks the scheduler as the next run will: with workers enough, only real obstacles are left. */
function whatWaits({ tasks, archived, problems }: Board) {
  const { waiting, cycles } = schedule({
    cards: tasks.map((task) => ({ ...task, hasPlan: false })),
    archived,
    running: [],
    maxWorkers: tasks.length + 1,
    waited: {},
    invalid: invalidTasks(problems),
    moving: [],
  });
  return { waits: new Map(waiting.map(({ id, why }) => [id, describeReason(why)])), cycles };
}

async function whyOf(
  { id, marker }: Task,
  facts: {
    wait: string | undefined;
    run: TaskRunFolder | undefined;
    openRun: OpenRun | undefined;
    pullRequest: number | undefined;
  },
): Promise<string> {
  const { wait, run, openRun, pullRequest } = facts;
  switch (marker) {
    case ' ':
      return wait ?? 'ready: the next `wiggum run` starts it';
    case '=':
      return openRun
        ? 'nobody works on it now: `wiggum run` goes on with it'
        : 'in progress when the last run ended: `wiggum run` goes on with it';
    case 'P':
      return pullRequest === undefined
        ? 'waits for its merge'
        : `pull request ${pullRequest} waits for a person: wiggum pr merge ${id}`;
    case '*':
      return (
        (run && (await failureReason(run.folder))) ??
        `failed: \`wiggum logs ${id}\` may tell why, \`wiggum worker restart ${id}\` tries again`
      );
    case 'x':
    case 'N':
      return '';
  }
}
