import { widthOf } from './text.ts';

/** Rows as lines: every column is as wide as its widest cell. */
export function aligned(rows: readonly (readonly string[])[], indent = ''): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  return rows.map((row) => {
    const cells = row.map(
      (cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)),
    );
    return `${indent}${cells.join('  ')}`.trimEnd();
  });
}
