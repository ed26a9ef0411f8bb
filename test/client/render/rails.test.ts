import { describe, expect, it } from '@jest/globals';
import { drawRails, gutterWidth, type Row } from '../../../client/render/rails.ts';

const rows = (...lines: (string | Row)[]): Row[] =>
  lines.map((line) => (typeof line === 'string' ? { text: line } : line));

describe('rails', () => {
  it('leave a drawing without loops as it is', () => {
    const plain = rows({ text: '1 one', head: 0 }, '  PASS');
    expect(drawRails(plain)).toEqual(['  1 one', '    PASS']);
    expect(gutterWidth(plain)).toBe(2);
  });

  it('lead from a line up to the head that it leads back to', () => {
    expect(
      drawRails(
        rows(
          { text: '1 one', head: 0 },
          '',
          { text: '2 two', head: 1 },
          { text: '  FIX', backTo: 0 },
          '  PASS',
        ),
      ),
    ).toEqual(['┌─▶ 1 one', '│', '│   2 two', '└──── FIX', '      PASS']);
  });

  it('are shared by all lines that lead to one head', () => {
    expect(
      drawRails(
        rows({ text: '1 one', head: 0 }, { text: 'a', backTo: 0 }, { text: 'b', backTo: 0 }),
      ),
    ).toEqual(['┌─▶ 1 one', '├── a', '└── b']);
  });

  it('stand side by side where they meet, the long one outside', () => {
    expect(
      drawRails(
        rows(
          { text: '1 one', head: 0 },
          { text: '2 two', head: 1 },
          { text: 'to two', backTo: 1 },
          { text: 'to one', backTo: 0 },
        ),
      ),
    ).toEqual(['┌───▶ 1 one', '│ ┌─▶ 2 two', '│ └── to two', '└──── to one']);
  });

  it('cross each other where one ends inside another', () => {
    expect(
      drawRails(
        rows(
          { text: '1 one', head: 0 },
          'x',
          'x',
          { text: '2 two', head: 1 },
          { text: 'to one', backTo: 0 },
          { text: 'to two', backTo: 1 },
        ),
      ),
    ).toEqual(['┌───▶ 1 one', '│     x', '│     x', '│ ┌─▶ 2 two', '└─┼── to one', '  └── to two']);
  });

  it('share a column where they do not meet', () => {
    const drawn = rows(
      { text: '1', head: 0 },
      { text: 'a', backTo: 0 },
      { text: '2', head: 1 },
      { text: 'b', backTo: 1 },
    );
    expect(drawRails(drawn)).toEqual(['┌─▶ 1', '└── a', '┌─▶ 2', '└── b']);
  });

  it('are at most six: more loops are told by words only', () => {
    const heads = Array.from({ length: 9 }, (_, head) => ({ text: `${head}`, head }));
    const ends = heads.map(({ head }) => ({ text: `to ${head}`, backTo: head }));
    expect(gutterWidth(rows(...heads, ...ends))).toBe(14);
    expect(drawRails(rows(...heads, ...ends))).toHaveLength(18);
  });
});
