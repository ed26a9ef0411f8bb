import { isAbsolute, relative } from 'node:path';
import { describeProblem, type DefinitionProblem } from '../../config/agent-definition.ts';
import { printable } from './text.ts';

/** Folders that names of files are shortened by: where one stands, and where the program lies. */
export interface Around {
  cwd: string;
  shipped: string;
}

/** Files of the project from where one stands, ours by their place in the program. */
export function placeText(source: string, { cwd, shipped }: Around): string {
  if (!isAbsolute(source)) return printable(source);
  const [near, ours] = [relative(cwd, source), relative(shipped, source)];
  if (!near.startsWith('..')) return printable(near);
  return printable(ours.startsWith('..') ? source : `shipped ${ours}`);
}

/** A fault in one line, with its file as it is shown to people. */
export function problemText(problem: DefinitionProblem, around: Around): string {
  return printable(describeProblem({ ...problem, file: placeText(problem.file, around) }));
}
