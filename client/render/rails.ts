/** One line of a drawing. */
export interface Row {
  text: string;
  /** The line is the head of this step, by its place in the list. */
  head?: number;
  /** A loop leads from this line back to the head of this step. */
  backTo?: number;
}

interface Rail {
  top: number;
  /** Lines that join it, the last one is its foot. */
  joins: number[];
}

/** More loops than these are told by words only. */
const MOST_RAILS = 6;

/** Draws loops as rails at the left: from each line that leads back, up to the head it leads to. */
export function drawRails(rows: readonly Row[]): string[] {
  const columns = placeRails(findRails(rows));
  if (columns.length === 0) return rows.map(({ text }) => `  ${text}`.trimEnd());
  const gutter = columns.length * 2;
  return rows.map(({ text }, line) => {
    const marks = columns.map((rails) => markAt(rails, line));
    const start = marks.findIndex((mark) => mark !== undefined && mark !== '│');
    const isHead = marks[start] === '┌';
    const cells = marks.map((mark, column) => {
      if (start < 0 || column < start) return `${mark ?? ' '} `;
      if (column === start) return `${mark}─`;
      return mark === '│' ? '┼─' : '──';
    });
    if (start < 0) return `${cells.join('').padEnd(gutter)}  ${text}`.trimEnd();
    if (isHead) return `${cells.join('')}▶ ${text}`;
    const indent = text.length - text.trimStart().length;
    return `${cells.join('')}${'─'.repeat(indent + 1)} ${text.trimStart()}`;
  });
}

/** The columns that the rails take, for whoever fits text beside them. */
export function gutterWidth(rows: readonly Row[]): number {
  return placeRails(findRails(rows)).length * 2 + 2;
}

function findRails(rows: readonly Row[]): Rail[] {
  const targets = [...new Set(rows.flatMap(({ backTo }) => backTo ?? []))];
  return targets.flatMap((target) => {
    const top = rows.findIndex(({ head }) => head === target);
    const joins = rows.flatMap(({ backTo }, line) => (backTo === target && line > top ? line : []));
    return top >= 0 && joins.length > 0 ? [{ top, joins }] : [];
  });
}

/** Short loops stand near the text, long ones outside; rails that do not meet share a column. */
function placeRails(rails: readonly Rail[]): Rail[][] {
  const columns: Rail[][] = [];
  for (const rail of rails.toSorted((one, other) => lengthOf(one) - lengthOf(other))) {
    const free = columns.find((others) => others.every((other) => !meet(rail, other)));
    if (free) free.push(rail);
    else if (columns.length < MOST_RAILS) columns.push([rail]);
  }
  return columns.toReversed();
}

function markAt(rails: readonly Rail[], line: number): '┌' | '├' | '└' | '│' | undefined {
  const rail = rails.find((one) => line >= one.top && line <= footOf(one));
  if (!rail) return undefined;
  if (line === rail.top) return '┌';
  if (line === footOf(rail)) return '└';
  return rail.joins.includes(line) ? '├' : '│';
}

function meet(one: Rail, other: Rail): boolean {
  return one.top <= footOf(other) && other.top <= footOf(one);
}

function lengthOf(rail: Rail): number {
  return footOf(rail) - rail.top;
}

function footOf({ top, joins }: Rail): number {
  return joins.at(-1) ?? top;
}
