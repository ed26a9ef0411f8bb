import type { Output } from '../command.ts';

const PIPE = 80;
const WIDEST = 100;

/** Columns for a drawing: as the terminal has them, at most what an eye follows, and 80 in a pipe. */
export function widthOfOutput(stdout: Pick<Output, 'isTerminal' | 'columns'>): number {
  return stdout.isTerminal ? Math.min(stdout.columns(), WIDEST) : PIPE;
}
