import type { Board, BoardProblem, Marker, Task } from '../workflows/domain/board.ts';
import { readEntry, type BoardEntry } from './board-entry.ts';
import {
  headingLevel,
  readTaskLine,
  scanBoard,
  type BoardLayout,
  type BoardLine,
} from './board-lines.ts';
import { findBoardProblems } from './board-problems.ts';

/** Reads a board and everything that is wrong with it, at once; never throws. */
export function parseBoard(text: string): Board {
  const layout = scanBoard(text);
  const entries = readEntries(layout);
  const problems = [
    ...entries.flatMap((entry) => entry.problems),
    ...findBoardProblems(layout, entries),
  ].sort((a, b) => a.line - b.line);
  return {
    tasks: firstOfEachId(entries),
    archived: [...new Set(layout.done.flatMap((comment) => comment.ids))],
    problems,
  };
}

/** Puts another marker on one task; undefined unless exactly one task line has that id. */
export function setMarker(text: string, id: string, marker: Marker): string | undefined {
  const { lines, bodyFrom } = scanBoard(text);
  if (bodyFrom === undefined) return undefined;
  const found = lines.slice(bodyFrom).filter((line) => readTaskLine(line)?.id === id);
  const [line] = found;
  if (!line || found.length > 1 || readTaskLine(line)?.marker === undefined) return undefined;
  const at = line.start + '- ['.length;
  return text.slice(0, at) + marker + text.slice(at + 1);
}

/** Says why nothing may be written to or started from this board, or undefined. */
export function whatBlocks({ problems }: Pick<Board, 'problems'>): BoardProblem | undefined {
  return problems.find((problem) => problem.blocksBoard);
}

function readEntries({ lines, bodyFrom = 0 }: BoardLayout): BoardEntry[] {
  const entries: BoardEntry[] = [];
  let head: BoardLine | undefined;
  let below: BoardLine[] = [];
  const close = () => {
    const entry = head && readEntry(head, below);
    if (entry) entries.push(entry);
    head = undefined;
    below = [];
  };
  for (const line of lines.slice(bodyFrom)) {
    if (line.hidden) continue;
    if (readTaskLine(line)) {
      close();
      head = line;
    } else if (headingLevel(line) !== undefined) close();
    else below.push(line);
  }
  close();
  return entries;
}

/** A second entry of the same id is reported as a problem; the first stands for the task. */
function firstOfEachId(entries: BoardEntry[]): Task[] {
  const tasks = new Map<string, Task>();
  for (const { task } of entries) if (task && !tasks.has(task.id)) tasks.set(task.id, task);
  return [...tasks.values()];
}
