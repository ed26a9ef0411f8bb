import { describe, expect, it } from '@jest/globals';
import { aligned } from '../../../client/render/aligned.ts';
import { widthOfLines, widthOfOutput } from '../../../client/render/width.ts';

const terminal = (columns: number) => ({ isTerminal: true, columns: () => columns });
const pipe = { isTerminal: false, columns: () => 80 };

describe('the width of what is printed', () => {
  it('is the width of the terminal, for drawings at most 100 columns', () => {
    expect([60, 140].map((columns) => widthOfOutput(terminal(columns)))).toEqual([60, 100]);
    expect([60, 140].map((columns) => widthOfLines(terminal(columns)))).toEqual([60, 140]);
  });

  it('is 80 for drawings that go into a pipe, and no limit for lines', () => {
    expect(widthOfOutput(pipe)).toBe(80);
    expect(widthOfLines(pipe)).toBeGreaterThan(10_000);
  });
});

describe('aligned rows', () => {
  it('have columns as wide as their widest cell, counted as a terminal shows it', () => {
    const rows = [
      ['日本', 'a', 'end'],
      ['x', '', 'z'],
      ['longer', 'b'],
    ];
    expect(aligned(rows, '  ')).toEqual(['  日本    a  end', '  x          z', '  longer  b']);
    expect(aligned([])).toEqual([]);
  });
});
