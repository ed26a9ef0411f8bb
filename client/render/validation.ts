import { relative } from 'node:path';
import { describeProblem, type DefinitionProblem } from '../../config/agent-definition.ts';
import { MARKERS, PRIORITIES, type Marker } from '../../workflows/domain/board.ts';
import type { Validation } from '../validate-project.ts';
import { counted } from './amounts.ts';
import { problemLines } from './board.ts';
import { printable } from './text.ts';

const NAMES: Record<Marker, string> = {
  ' ': 'pending',
  '=': 'in progress',
  P: 'pull request',
  x: 'done',
  '*': 'failed',
  N: 'not planned',
};

/** Counts, then every fault with its place; quiet leaves the faults only. */
export function validationLines(
  validation: Validation,
  { cwd, quiet }: { cwd: string; quiet: boolean },
): string[] {
  const { errors, cycles, definitions, notices } = validation;
  const board = printable(relative(cwd, validation.board) || validation.board);
  const faults = [
    ...errors.map(({ line, message }) => `${board}:${line}: ${printable(message)}`),
    ...definitions.map((problem) => printable(describeProblem(nearer(problem, cwd)))),
  ];
  if (quiet) return faults;
  const hints = [
    ...problemLines({ problems: [], cycles }),
    ...notices.map((notice) => printable(describeProblem(nearer(notice, cwd)))),
  ].map((hint) => `note: ${hint}`);
  return [
    `${board}: ${counted(validation.tasks, 'task')}`,
    ...MARKERS.filter((marker) => validation.statuses[marker] > 0).map(
      (marker) => `  [${marker}] ${NAMES[marker].padEnd(13)}${validation.statuses[marker]}`,
    ),
    ...PRIORITIES.filter((priority) => validation.priorities[priority] > 0).map(
      (priority) => `  ${priority.padEnd(17)}${validation.priorities[priority]}`,
    ),
    ...section(faults),
    ...section(hints),
    '',
    faults.length === 0 ? 'No errors.' : `${counted(faults.length, 'error')}.`,
  ];
}

function section(lines: string[]): string[] {
  return lines.length === 0 ? [] : ['', ...lines];
}

function nearer(problem: DefinitionProblem, cwd: string): DefinitionProblem {
  const near = relative(cwd, problem.file);
  return { ...problem, file: near === '' || near.startsWith('..') ? problem.file : near };
}
