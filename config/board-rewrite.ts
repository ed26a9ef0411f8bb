import type { Marker } from '../workflows/domain/board.ts';
import { WiggumError } from '../workflows/domain/errors.ts';
import { parseBoard } from './board-file.ts';
import {
  headingLevel,
  readTaskLine,
  scanBoard,
  type BoardLayout,
  type BoardLine,
} from './board-lines.ts';

/** Groups the tasks by status under headings of ours and orders them by id; throws on an invalid board. */
export function sortBoard(text: string): string {
  const { layout, bodyFrom } = validLayout(text);
  const sections = readSections(layout.lines.slice(bodyFrom));
  const tasks = sections.flatMap((section) => section.parts.filter((part) => part.kind === 'task'));
  if (tasks.length === 0) return text;

  const head = layout.lines.slice(0, bodyFrom).map((line) => line.raw);
  const ending = head.at(-1)?.endsWith('\r\n') ? '\r\n' : '\n';
  const chunks = [
    ...sections.filter((section) => !section.heading || holdsTask(section)).flatMap(looseText),
    ...GROUPS.flatMap(({ heading, markers }) => {
      const group = tasks.filter((task) => markers.includes(task.marker));
      group.sort((a, b) => (a.id < b.id ? -1 : 1));
      const title = [`### ${heading}${ending}`];
      return group.length === 0 ? [] : [title, ...group.map((task) => task.lines.map(rawOf))];
    }),
    // A section of prose is not ours to dissolve: it goes below the tasks as it stands.
    ...sections
      .filter((section, index) => !holdsTask(section) && isProse(sections, index))
      .map((section) => sectionLines(section).map(rawOf)),
  ]
    .map((chunk) => trimBlankLines(chunk).join(''))
    .filter((chunk) => chunk !== '')
    .map((chunk) => (chunk.endsWith('\n') ? chunk : chunk + ending));
  const body = chunks.join(ending);
  return head.join('') + ending + (text.endsWith('\n') ? body : body.replace(/\r?\n$/, ''));
}

/** Moves finished tasks into one done comment below `## TASKS`; throws on an invalid board. */
export function collapseDone(text: string): { text: string; collapsed: string[] } {
  const { layout, bodyFrom } = validLayout(text);
  const sections = readSections(layout.lines.slice(bodyFrom));
  const collapsed = sections.flatMap((section) =>
    section.parts.flatMap((part) => (isDone(part) ? [part.id] : [])),
  );
  if (collapsed.length === 0) return { text, collapsed };

  const isArchive = ({ number }: BoardLine) =>
    layout.done.some(({ from, to, alone }) => alone && number >= from && number <= to);
  for (const section of sections)
    section.parts = section.parts
      .filter((part) => !isDone(part))
      .map((part) => ({ ...part, lines: part.lines.filter((line) => !isArchive(line)) }));

  const archived = layout.done.flatMap((comment) => comment.ids);
  const ids = [...new Set([...archived, ...collapsed])];
  const head = layout.lines.slice(0, bodyFrom).filter((line) => !isArchive(line));
  const ending = head.at(-1)?.raw.endsWith('\r\n') ? '\r\n' : '\n';
  const body = sections.filter((_, index) => isWorthKeeping(sections, index)).flatMap(sectionLines);
  const raw = (lines: BoardLine[]) => lines.map((line) => line.raw).join('');
  return { text: `${raw(head)}<!-- done: ${ids.join(', ')} -->${ending}${raw(body)}`, collapsed };
}

const GROUPS: { heading: string; markers: Marker[] }[] = [
  { heading: 'Completed', markers: ['x'] },
  { heading: 'Failed', markers: ['*'] },
  { heading: 'Pending Approval', markers: ['P'] },
  { heading: 'Pending', markers: [' ', '='] },
  { heading: 'Not Planned', markers: ['N'] },
];

interface TaskPart {
  kind: 'task';
  id: string;
  marker: Marker;
  lines: BoardLine[];
}

type Part = TaskPart | { kind: 'text'; lines: BoardLine[] };

/** A heading and what stands between it and the next one. */
interface Section {
  heading?: BoardLine;
  level: number;
  parts: Part[];
}

function validLayout(text: string): { layout: BoardLayout; bodyFrom: number } {
  const { problems } = parseBoard(text);
  const layout = scanBoard(text);
  if (problems.length > 0 || layout.bodyFrom === undefined)
    throw new WiggumError(
      'BOARD_INVALID',
      problems.map(({ line, message }) => `line ${line}: ${message}`).join('\n'),
    );
  return { layout, bodyFrom: layout.bodyFrom };
}

function readSections(lines: BoardLine[]): Section[] {
  const sections: Section[] = [];
  let section: Section = { level: 0, parts: [] };
  let taken: BoardLine[] = [];
  const close = () => {
    section.parts.push(...splitParts(taken));
    taken = [];
  };
  for (const line of lines) {
    const level = headingLevel(line);
    if (level !== undefined) {
      close();
      sections.push(section);
      section = { heading: line, level, parts: [] };
    } else {
      if (readTaskLine(line)) close();
      taken.push(line);
    }
  }
  close();
  return [...sections, section];
}

/** Splits lines with at most one task, at their top, into the task and the text that follows it. */
function splitParts(lines: BoardLine[]): Part[] {
  const [first] = lines;
  const task = first && readTaskLine(first);
  if (!task?.marker) return first ? [{ kind: 'text', lines }] : [];
  const end = lines.findLastIndex((line, index) => index === 0 || line.indented) + 1;
  const rest = lines.slice(end);
  const part = (own: BoardLine[]): Part[] => [
    { kind: 'task', id: task.id, marker: task.marker as Marker, lines: own },
  ];
  return rest.every(isBlank)
    ? part(lines)
    : [...part(lines.slice(0, end)), { kind: 'text', lines: rest }];
}

function isDone(part: Part): part is TaskPart {
  return part.kind === 'task' && part.marker === 'x';
}

/** A heading stays while it, or a heading below it, has tasks or text. */
function isWorthKeeping(sections: Section[], index: number): boolean {
  const section = sections[index];
  return !section?.heading || [section, ...below(sections, index)].some(hasContent);
}

/** A heading with text and no tasks, or one above such. */
function isProse(sections: Section[], index: number): boolean {
  const section = sections[index];
  const holdsText = (candidate: Section) => !holdsTask(candidate) && hasContent(candidate);
  return !!section?.heading && [section, ...below(sections, index)].some(holdsText);
}

/** The sections of deeper headings under this one. */
function below(sections: Section[], index: number): Section[] {
  const level = sections[index]?.level ?? 0;
  const rest = sections.slice(index + 1);
  const end = rest.findIndex((section) => section.level <= level);
  return rest.slice(0, end === -1 ? rest.length : end);
}

function hasContent(section: Section): boolean {
  return section.parts.some((part) => !part.lines.every(isBlank));
}

function holdsTask(section: Section): boolean {
  return section.parts.some((part) => part.kind === 'task');
}

function looseText(section: Section): string[][] {
  return section.parts.filter((part) => part.kind === 'text').map((part) => part.lines.map(rawOf));
}

function sectionLines(section: Section): BoardLine[] {
  const heading = section.heading ? [section.heading] : [];
  return [...heading, ...section.parts.flatMap((part) => part.lines)];
}

function trimBlankLines(lines: string[]): string[] {
  const from = lines.findIndex((line) => line.trim() !== '');
  return from === -1
    ? []
    : lines.slice(from, lines.findLastIndex((line) => line.trim() !== '') + 1);
}

function isBlank(line: BoardLine): boolean {
  return line.text.trim() === '';
}

function rawOf(line: BoardLine): string {
  return line.raw;
}
