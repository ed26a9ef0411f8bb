import type { DefinitionProblem } from '../config/agent-definition.ts';
import { readBoardFile } from '../config/open-board.ts';
import type { Environment } from '../config/state-dir.ts';
import {
  MARKERS,
  PRIORITIES,
  type Board,
  type BoardProblem,
  type Marker,
  type Priority,
} from '../workflows/domain/board.ts';
import { analyseDependencies } from '../workflows/domain/dependencies.ts';
import { checkDefinitions, type Checked } from './check-definitions.ts';

/** Everything that `validate` found out. */
export interface Validation {
  board: string;
  tasks: number;
  /** Archived tasks count as done. */
  statuses: Record<Marker, number>;
  priorities: Record<Priority, number>;
  /** On the board; every one of them makes it invalid. */
  errors: BoardProblem[];
  cycles: string[][];
  /** Faults in settings, pipelines and agents. */
  definitions: DefinitionProblem[];
  notices: DefinitionProblem[];
  /** Absent when nothing but a board was checked. */
  checked?: Checked;
  /** Files of pipelines whose circles and unreachable steps were not looked for. */
  unwalked: string[];
}

/** Checks a board and, with `ralphDir`, the definitions around it; reports all faults at once. */
export async function validateProject({
  board: file,
  ralphDir,
  environment,
}: {
  board: string;
  ralphDir: string | undefined;
  environment: Environment;
}): Promise<Validation> {
  const { board } = await readBoardFile(file);
  const pending = board.tasks.filter((task) => task.marker === ' ');
  const found = ralphDir ? await checkDefinitions({ ralphDir, environment }) : undefined;
  return {
    board: file,
    tasks: board.tasks.length,
    ...countTasks(board),
    errors: board.problems,
    cycles: analyseDependencies(pending.map((task) => ({ ...task, hasPlan: false }))).cycles,
    definitions: found?.problems ?? [],
    notices: found?.notices ?? [],
    ...(found && { checked: found.checked }),
    unwalked: found?.unwalked ?? [],
  };
}

function countTasks({ tasks, archived }: Board): Pick<Validation, 'statuses' | 'priorities'> {
  const live = new Set(tasks.map((task) => task.id));
  const statuses = Object.fromEntries(
    MARKERS.map((marker) => [marker, tasks.filter((task) => task.marker === marker).length]),
  ) as Record<Marker, number>;
  statuses.x += archived.filter((id) => !live.has(id)).length;
  const priorities = Object.fromEntries(
    PRIORITIES.map((priority) => [
      priority,
      tasks.filter((task) => task.priority === priority).length,
    ]),
  ) as Record<Priority, number>;
  return { statuses, priorities };
}
