import { MARKERS, type Marker } from '../workflows/domain/board.ts';

/** One line of the board, with what a writer needs to put it back unchanged. */
export interface BoardLine {
  number: number;
  /** Offset of `text` in the file's text. */
  start: number;
  /** Without line ending and without byte order mark. */
  text: string;
  /** With its line ending. */
  raw: string;
  /** Inside a code fence or an HTML comment: never a task, a field or a heading. */
  hidden: boolean;
  /** Belongs below the task above it; of a fence or comment its opening line decides. */
  indented: boolean;
}

export interface DoneComment {
  /** Lines of the comment, first and last. */
  from: number;
  to: number;
  ids: string[];
  /** Nothing else stands on these lines. */
  alone: boolean;
}

export interface BoardLayout {
  lines: BoardLine[];
  /** Index of the first line below `## TASKS`; undefined without that heading. */
  bodyFrom: number | undefined;
  done: DoneComment[];
  /** A fence or comment that hides the rest of the file. */
  unclosed?: { line: number; what: 'code fence' | 'comment' };
}

export interface TaskLine {
  marker: Marker | undefined;
  markerText: string;
  id: string;
  title: string;
}

export const TASKS_HEADING = /^## +TASKS\s*$/;
const HEADING = /^(#{1,6})\s/;
const TASK_LINE = /^- \[([^\]]*)\] \*\*\[([^\]]*)\]\*\*(.*)$/s;
const FENCE = /^\s*(`{3,}|~{3,})(.*)$/s;
const DONE = /^\s*done:(.*)$/s;

/** Splits a board into lines and says which of them are only quoted. */
export function scanBoard(text: string): BoardLayout {
  const layout: BoardLayout = { lines: splitLines(text), bodyFrom: undefined, done: [] };
  let region: Region | undefined;
  for (const [index, line] of layout.lines.entries()) {
    const opened: Region | undefined = region ?? openedBy(line);
    if (!opened) {
      if (layout.bodyFrom === undefined && TASKS_HEADING.test(line.text))
        layout.bodyFrom = index + 1;
      continue;
    }
    line.hidden = true;
    line.indented = opened.indented;
    region = isClosed(opened, line) ? undefined : opened;
    if (!region && opened.kind === 'comment')
      layout.done.push(...readDone(layout.lines.slice(opened.line - 1, line.number)));
  }
  if (region)
    layout.unclosed = {
      line: region.line,
      what: region.kind === 'comment' ? 'comment' : 'code fence',
    };
  return layout;
}

/** Reads a line of the form `- [ ] **[AB-1]** title`; a marker we do not know is left undefined. */
export function readTaskLine(line: BoardLine): TaskLine | undefined {
  if (line.hidden) return undefined;
  const match = TASK_LINE.exec(line.text);
  if (!match) return undefined;
  const [, markerText = '', id = '', rest = ''] = match;
  const marker = MARKERS.find((known) => known === markerText);
  return { marker, markerText, id, title: rest.trim() };
}

/** Depth of a markdown heading, undefined for any other line. */
export function headingLevel(line: BoardLine): number | undefined {
  return line.hidden ? undefined : HEADING.exec(line.text)?.[1]?.length;
}

/** Splits a comma-separated list of ids. */
export function splitIds(list: string): string[] {
  return list
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

/** Reads the archive out of the lines of a comment, or of several that follow each other. */
function readDone(lines: BoardLine[]): DoneComment[] {
  const text = lines.map((line) => line.text).join('\n');
  const done: string[] = [];
  let others = '';
  let at = 0;
  for (;;) {
    const from = text.indexOf('<!--', at);
    const to = from === -1 ? -1 : text.indexOf('-->', from + 4);
    if (to === -1) break;
    const list = DONE.exec(text.slice(from + 4, to))?.[1];
    others += text.slice(at, list === undefined ? to : from);
    if (list !== undefined) done.push(list);
    at = to + 3;
  }
  const alone = (others + text.slice(at)).trim() === '';
  const [from = 0, to = 0] = [lines[0]?.number, lines.at(-1)?.number];
  return done.length === 0 ? [] : [{ from, to, ids: done.flatMap(splitIds), alone }];
}

/** A stretch of lines that only quotes. */
interface Region {
  kind: 'comment' | 'fence';
  line: number;
  indented: boolean;
  /** The run of backticks or tildes that opened a fence. */
  fence: string;
}

function openedBy(line: BoardLine): Region | undefined {
  const region = { line: line.number, indented: line.indented };
  // Only at the start of a line: a title that mentions `<!--` must not swallow the tasks below it.
  if (line.text.trimStart().startsWith('<!--')) return { ...region, kind: 'comment', fence: '' };
  const [, fence = '', info = ''] = FENCE.exec(line.text) ?? [];
  const isInlineCode = fence.startsWith('`') && info.includes('`');
  return fence === '' || isInlineCode ? undefined : { ...region, kind: 'fence', fence };
}

function isClosed(region: Region, line: BoardLine): boolean {
  if (region.kind === 'comment') {
    // `<!-->` is no end: the search begins behind the opening.
    let from = line.number === region.line ? line.text.indexOf('<!--') + 4 : 0;
    for (;;) {
      const end = line.text.indexOf('-->', from);
      if (end === -1) return false;
      if (
        !line.text
          .slice(end + 3)
          .trimStart()
          .startsWith('<!--')
      )
        return true;
      from = line.text.indexOf('<!--', end + 3) + 4;
    }
  }
  if (line.number === region.line) return false;
  const [, fence = '', info = ''] = FENCE.exec(line.text) ?? [];
  return fence.startsWith(region.fence) && info.trim() === '';
}

function splitLines(text: string): BoardLine[] {
  const lines: BoardLine[] = [];
  let at = 0;
  while (at < text.length) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline + 1;
    const raw = text.slice(at, end);
    const start = at === 0 && raw.startsWith('\uFEFF') ? 1 : at;
    const content = text.slice(start, end).replace(/\r?\n$/, '');
    lines.push({
      number: lines.length + 1,
      start,
      text: content,
      raw,
      hidden: false,
      indented: /^\s+\S/.test(content),
    });
    at = end;
  }
  return lines;
}
