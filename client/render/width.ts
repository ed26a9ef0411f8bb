import type { Output } from '../command.ts';

type Width = Pick<Output, 'isTerminal' | 'columns'>;

const PIPE = 80;
const WIDEST = 100;
/** Lines that go into a pipe are not cut. */
const UNLIMITED = 100_000;

/** Columns for a drawing: as the terminal has them, at most what an eye follows, and 80 in a pipe. */
export function widthOfOutput(stdout: Width): number {
  return stdout.isTerminal ? Math.min(stdout.columns(), WIDEST) : PIPE;
}

/** Columns for lines that say one thing each: as the terminal has them, and no end in a pipe. */
export function widthOfLines(stdout: Width): number {
  return stdout.isTerminal ? stdout.columns() : UNLIMITED;
}
