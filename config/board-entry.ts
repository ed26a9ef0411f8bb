import {
  PRIORITIES,
  TASK_ID,
  type BoardProblem,
  type Priority,
  type Task,
} from '../workflows/domain/board.ts';
import { readTaskLine, splitIds, type BoardLine } from './board-lines.ts';

/** One task of the board with everything that is wrong inside its own lines. */
export interface BoardEntry {
  id: string;
  line: number;
  /** Undefined when id or marker cannot be read. */
  task: Task | undefined;
  dependenciesLine: number;
  problems: BoardProblem[];
}

const FIELDS = ['Description', 'Priority', 'Complexity', 'Dependencies', 'Agent'] as const;
const LISTS = ['Scope', 'Out of Scope', 'Acceptance Criteria'] as const;
type Field = (typeof FIELDS)[number];
type List = (typeof LISTS)[number];

const BULLET = /^(\s*)- (.*)$/s;
const FIELD = new RegExp(`^(${FIELDS.join('|')})\\s*:(.*)$`, 's');
const LIST = new RegExp(`^(${LISTS.join('|')})\\s*(?::(.*))?$`, 's');
const FIELD_INDENT = '  ';
const ITEM_INDENT = '    ';

/** Reads a task line and the visible lines below it. */
export function readEntry(head: BoardLine, below: BoardLine[]): BoardEntry | undefined {
  const line = readTaskLine(head);
  if (!line) return undefined;
  const body = readBody(line.id, below);
  const dependencies = body.fields.get('Dependencies');
  const problems: BoardProblem[] = [];
  const report = reporter(problems, line.id);

  const hasId = TASK_ID.test(line.id);
  if (!hasId)
    problems.push({
      line: head.number,
      message: `[${line.id}] is not a task id: 2 to 10 letters, a hyphen, 1 to 4 digits, as in AB-12`,
      severity: 'error',
    });
  if (line.marker === undefined)
    report.error(
      head.number,
      `has the unknown marker [${line.markerText}]: use [ ], [=], [P], [x], [*] or [N]`,
    );
  if (line.title === '') report.notice(head.number, 'has no title behind its id');
  problems.push(...body.problems);

  const task: Omit<Task, 'marker'> = {
    id: line.id,
    title: line.title,
    priority: readPriority(body.fields.get('Priority'), head, report),
    dependencies: readDependencies(dependencies, head, report),
    line: head.number,
    description: readDescription(body.fields.get('Description'), head, report),
    scope: body.lists.Scope,
    outOfScope: body.lists['Out of Scope'],
    acceptanceCriteria: body.lists['Acceptance Criteria'],
  };
  const complexity = body.fields.get('Complexity')?.value;
  if (complexity) task.complexity = complexity;
  return {
    id: line.id,
    line: head.number,
    task: hasId && line.marker !== undefined ? { ...task, marker: line.marker } : undefined,
    dependenciesLine: dependencies?.line ?? head.number,
    problems,
  };
}

interface FieldValue {
  line: number;
  value: string;
}

interface EntryBody {
  fields: Map<Field, FieldValue>;
  lists: Record<List, string[]>;
  problems: BoardProblem[];
}

function readBody(id: string, lines: BoardLine[]): EntryBody {
  const body: EntryBody = {
    fields: new Map(),
    lists: { Scope: [], 'Out of Scope': [], 'Acceptance Criteria': [] },
    problems: [],
  };
  const report = reporter(body.problems, id);
  let list: string[] | undefined;
  /** Takes a wrapped line that continues the text above it. */
  let continueText: ((text: string) => void) | undefined;

  const takeItem = (items: string[], text: string) => {
    items.push(text.trim());
    continueText = (more) => items.push(`${items.pop() ?? ''} ${more}`);
  };
  const takeField = (name: Field, line: BoardLine, text: string) => {
    list = undefined;
    continueText = undefined;
    const first = body.fields.get(name);
    if (first) {
      report.error(line.number, `has ${name} twice, first on line ${first.line}`);
      return;
    }
    const field = { line: line.number, value: text.trim() };
    body.fields.set(name, field);
    if (name === 'Description')
      continueText = (more) => (field.value = `${field.value} ${more}`.trim());
  };

  for (const line of lines) {
    if (line.text.trim() === '') {
      continueText = undefined;
      continue;
    }
    const bullet = BULLET.exec(line.text);
    if (!bullet) {
      if (line.indented) continueText?.(line.text.trim());
      continue;
    }
    const [, indent = '', content = ''] = bullet;
    const field = FIELD.exec(content);
    const opensList = LIST.exec(content);
    // An item may begin like a field: "Priority: shown in the list".
    const isItem = list !== undefined && indent === ITEM_INDENT;
    const misplaced = !isItem && indent !== FIELD_INDENT && (field || opensList?.[2] !== undefined);
    if (misplaced) {
      const name = field?.[1] ?? opensList?.[1] ?? '';
      report.error(line.number, `has ${name} at the wrong depth: fields stand 2 spaces deep`);
    }
    if (isItem && list) takeItem(list, content);
    else if (indent === FIELD_INDENT || misplaced) {
      list = undefined;
      continueText = undefined;
      if (field) takeField(field[1] as Field, line, field[2] ?? '');
      else if (opensList) {
        list = body.lists[opensList[1] as List];
        if (opensList[2]?.trim()) takeItem(list, opensList[2]);
      }
    } else if (indent === '') list = undefined;
    else if (list) {
      report.error(line.number, 'has a list item at the wrong depth: items stand 4 spaces deep');
      takeItem(list, content);
    }
  }
  return body;
}

function readDescription(field: FieldValue | undefined, head: BoardLine, report: Reporter): string {
  if (!field) report.error(head.number, 'has no Description: add "  - Description: what to do"');
  else if (field.value === '') report.error(field.line, 'has an empty Description');
  return field?.value ?? '';
}

function readPriority(field: FieldValue | undefined, head: BoardLine, report: Reporter): Priority {
  const known = PRIORITIES.find((priority) => priority === field?.value);
  if (!field)
    report.notice(head.number, 'has no Priority: add "  - Priority: MEDIUM"; read as MEDIUM');
  else if (!known)
    report.notice(
      field.line,
      `has the Priority "${field.value}": use ${PRIORITIES.join(', ')}; read as MEDIUM`,
    );
  return known ?? 'MEDIUM';
}

function readDependencies(
  field: FieldValue | undefined,
  head: BoardLine,
  report: Reporter,
): string[] {
  if (!field)
    report.notice(head.number, 'has no Dependencies: add "  - Dependencies: none"; read as none');
  const named = splitIds(field?.value ?? '').filter((id) => id.toLowerCase() !== 'none');
  return [...new Set(named)];
}

interface Reporter {
  error(line: number, message: string): void;
  notice(line: number, message: string): void;
}

function reporter(problems: BoardProblem[], id: string): Reporter {
  const add = (severity: BoardProblem['severity']) => (line: number, message: string) => {
    const task = TASK_ID.test(id) ? { task: id } : {};
    problems.push({ line, message: `${id} ${message}`, ...task, severity });
  };
  return { error: add('error'), notice: add('notice') };
}
