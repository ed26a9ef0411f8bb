import { basename, relative } from 'node:path';
import { describeProblem, type DefinitionProblem } from '../../config/agent-definition.ts';
import { MARKERS, PRIORITIES, type Marker } from '../../workflows/domain/board.ts';
import type { Checked } from '../check-definitions.ts';
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
  const { errors, cycles, definitions, notices, checked, unwalked } = validation;
  const board = printable(relative(cwd, validation.board) || validation.board);
  const faults = [
    ...errors.map(({ line, message }) => `${board}:${line}: ${printable(message)}`),
    ...definitions.map((problem) => printable(describeProblem(nearer(problem, cwd)))),
  ];
  if (quiet) return faults;
  const hints = [
    ...problemLines({ problems: [], cycles }),
    ...notices.map((notice) => printable(describeProblem(nearer(notice, cwd)))),
    ...(unwalked.length > 0
      ? [
          `circles and unreachable steps are looked for when the errors are mended: ${unwalked.map((file) => printable(basename(file))).join(', ')}`,
        ]
      : []),
  ].map((hint) => `note: ${hint}`);
  return [
    `${board}: ${counted(validation.tasks, 'task')}`,
    ...MARKERS.filter((marker) => validation.statuses[marker] > 0).map(
      (marker) => `  [${marker}] ${NAMES[marker].padEnd(13)}${validation.statuses[marker]}`,
    ),
    ...PRIORITIES.filter((priority) => validation.priorities[priority] > 0).map(
      (priority) => `  ${priority.padEnd(17)}${validation.priorities[priority]}`,
    ),
    ...(checked ? [checkedLine(checked)] : []),
    ...section(faults),
    ...section(hints),
    '',
    faults.length === 0 ? 'No errors.' : `${counted(faults.length, 'error')}.`,
  ];
}

function checkedLine({ pipelines, agents, settings }: Checked): string {
  const part = ({ own, installed }: Checked['agents'], noun: string) =>
    `${counted(own + installed, noun)} (${own} of the project)`;
  const files = counted(settings, 'file');
  return `${part(pipelines, 'pipeline')}, ${part(agents, 'agent')}, settings in ${files}`;
}

function section(lines: string[]): string[] {
  return lines.length === 0 ? [] : ['', ...lines];
}

function nearer(problem: DefinitionProblem, cwd: string): DefinitionProblem {
  const near = relative(cwd, problem.file);
  return { ...problem, file: near === '' || near.startsWith('..') ? problem.file : near };
}
