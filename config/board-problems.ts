import { TASK_ID, type BoardProblem } from '../workflows/domain/board.ts';
import type { BoardEntry } from './board-entry.ts';
import { readTaskLine, TASKS_HEADING, type BoardLayout, type BoardLine } from './board-lines.ts';

const CONFLICT_EDGE = /^(?:<{7}|>{7}|\|{7})(?: |$)/;
const CONFLICT_MIDDLE = /^={7}$/;
/** A checkbox, or a bold id without one; `- [1](url)` and `- [x]: url` are links. */
const ALMOST_A_TASK = /^[-*+]\s*(?:\[[^\]]?\](?![(:[])|\*\*\[)/;
const INDENTED_TASK = /^\s+[-*+]\s*\[[^\]]?\]\s*\*\*\[[^\]]+\]\*\*/;

/** Finds what is wrong between the entries of a board and around them. */
export function findBoardProblems(layout: BoardLayout, entries: BoardEntry[]): BoardProblem[] {
  return [
    ...structureProblems(layout),
    ...layout.lines.flatMap((line) => lineProblems(line)),
    ...conflictProblems(layout.lines),
    ...misreadTasks(layout),
    ...duplicateProblems(entries),
    ...dependencyProblems(entries, layout),
    ...archiveProblems(entries, layout),
  ];
}

function structureProblems({ lines, bodyFrom, unclosed }: BoardLayout): BoardProblem[] {
  const problems: BoardProblem[] = [];
  if (bodyFrom === undefined)
    problems.push({
      line: 1,
      message: 'the board has no heading "## TASKS"; tasks stand below it',
      severity: 'error',
      blocksBoard: true,
    });
  if (unclosed)
    problems.push({
      line: unclosed.line,
      message: `this ${unclosed.what} is never closed and hides everything below it`,
      severity: 'error',
      blocksBoard: true,
    });
  for (const line of lines.slice(bodyFrom ?? 0))
    if (!line.hidden && TASKS_HEADING.test(line.text))
      problems.push({
        line: line.number,
        message: 'the heading "## TASKS" stands here a second time',
        severity: 'notice',
      });
  return problems;
}

function lineProblems(line: BoardLine): BoardProblem[] {
  if (!line.text.includes('\0')) return [];
  return [
    {
      line: line.number,
      message: 'this line holds a NUL character: the board must be plain text',
      severity: 'error',
      blocksBoard: true,
    },
  ];
}

/** Also inside fences and comments: git writes its markers anywhere. */
function conflictProblems(lines: BoardLine[]): BoardProblem[] {
  const problems: BoardProblem[] = [];
  let isOpen = false;
  for (const line of lines) {
    const isEdge = CONFLICT_EDGE.test(line.text);
    if (isEdge) isOpen = !line.text.startsWith('>');
    if (isEdge || (isOpen && CONFLICT_MIDDLE.test(line.text)))
      problems.push({
        line: line.number,
        message: `git conflict marker "${line.text.slice(0, 7)}": resolve the conflict first`,
        severity: 'error',
        blocksBoard: true,
      });
  }
  return problems;
}

/** Lines that a person meant as a task and that are none. */
function misreadTasks({ lines, bodyFrom = 0 }: BoardLayout): BoardProblem[] {
  const problems: BoardProblem[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.hidden) continue;
    const task = readTaskLine(line);
    if (index < bodyFrom) {
      if (task)
        problems.push({
          line: line.number,
          message: `${task.id} stands above "## TASKS" and is not read as a task`,
          severity: 'notice',
        });
    } else if (INDENTED_TASK.test(line.text))
      problems.push({
        line: line.number,
        message: 'this task line is indented; a task starts in the first column',
        severity: 'error',
      });
    else if (!task && ALMOST_A_TASK.test(line.text))
      problems.push({
        line: line.number,
        message: 'this is no task line; it should read like "- [ ] **[AB-1]** Title"',
        severity: 'error',
      });
  }
  return problems;
}

function duplicateProblems(entries: BoardEntry[]): BoardProblem[] {
  const problems: BoardProblem[] = [];
  const first = new Map<string, BoardEntry>();
  for (const entry of entries) {
    // Folders and branches carry the id, and some disks do not tell AB-1 from ab-1.
    const key = entry.id.toLowerCase();
    const earlier = first.get(key);
    if (!earlier) first.set(key, entry);
    else
      problems.push({
        line: entry.line,
        message:
          earlier.id === entry.id
            ? `${entry.id} is a duplicate: the first is on line ${earlier.line}`
            : `${entry.id} differs from ${earlier.id} on line ${earlier.line} only in case`,
        task: entry.id,
        severity: 'error',
      });
  }
  return problems;
}

function dependencyProblems(entries: BoardEntry[], layout: BoardLayout): BoardProblem[] {
  const known = new Set(entries.map((entry) => entry.id));
  for (const comment of layout.done) for (const id of comment.ids) known.add(id);
  return entries.flatMap(({ task, dependenciesLine }) =>
    (task?.dependencies ?? [])
      .filter((id) => !known.has(id))
      .map((id): BoardProblem => ({
        line: dependenciesLine,
        message: TASK_ID.test(id)
          ? `${task?.id} depends on ${id}, which is not on the board`
          : `${task?.id} depends on "${id}", which is no task id; write ids with commas, or none`,
        ...(task && { task: task.id }),
        severity: 'error',
      })),
  );
}

function archiveProblems(entries: BoardEntry[], { done }: BoardLayout): BoardProblem[] {
  const live = new Map(entries.map((entry) => [entry.id, entry]));
  return done.flatMap(({ from, ids }) =>
    ids.flatMap((id): BoardProblem[] => {
      const entry = live.get(id);
      if (entry)
        return [
          {
            line: from,
            message: `${id} is archived here and stands on line ${entry.line}, which counts`,
            task: id,
            severity: 'notice',
          },
        ];
      if (TASK_ID.test(id)) return [];
      return [
        { line: from, message: `"${id}" in the done comment is no task id`, severity: 'error' },
      ];
    }),
  );
}
