import { LineCounter } from 'yaml';
import { didYouMean } from './nearest-name.ts';

/** One prompt of an agent file. */
export interface PromptSection {
  text: string;
  /** Line of the first line of the text, from 0 within the body. */
  line: number;
}

export type SectionName = 'SYSTEM' | 'USER' | 'CONTINUATION';

export interface PromptSections {
  sections: Partial<Record<SectionName, PromptSection>>;
  problems: LineProblem[];
}

/** A fault at a line, from 0. */
export interface LineProblem {
  line: number;
  message: string;
}

/** Conditions of a prompt: `<WIGGUM_IF_…>` to `</WIGGUM_IF_…>`; the last one takes a path. */
export const CONDITIONS = [
  'SUPERVISOR',
  'ITERATION_ZERO',
  'ITERATION_NONZERO',
  'FILE_EXISTS',
] as const;

const SECTION_LINE = /^[ \t]*<(\/?)WIGGUM_(SYSTEM|USER|CONTINUATION)_PROMPT>[ \t]*$/;
const CONDITION = /<(\/?)WIGGUM_IF_([A-Z_]+)(?::([^<>\n]*))?>/g;
const OUR_TAG = /<\/?(WIGGUM_[A-Z_]+)[^<>\n]*>/g;
const TAGS = [
  ...['SYSTEM', 'USER', 'CONTINUATION'].map((name) => `WIGGUM_${name}_PROMPT`),
  ...CONDITIONS.map((name) => `WIGGUM_IF_${name}`),
];

/** Takes the prompts out of the body of an agent file; finds all faults of their tags. */
export function readSections(body: string): PromptSections {
  const sections: PromptSections['sections'] = {};
  const problems: LineProblem[] = [];
  const lines = body.split(/\r?\n/);
  let open: { name: SectionName; line: number } | undefined;
  for (const [line, text] of lines.entries()) {
    const [, slash, name] = SECTION_LINE.exec(text) ?? [];
    if (name === undefined) continue;
    const tag = `WIGGUM_${name}_PROMPT`;
    if (slash && open?.name === name) {
      sections[open.name] = section(lines, open.line + 1, line);
      open = undefined;
    } else if (slash) {
      problems.push({ line, message: `</${tag}> closes nothing` });
    } else {
      if (open) problems.push(unclosedSection(open));
      if (sections[name as SectionName])
        problems.push({ line, message: `<${tag}> stands here a second time` });
      open = { name: name as SectionName, line };
    }
  }
  if (open) problems.push(unclosedSection(open));
  for (const found of Object.values(sections))
    problems.push(...conditionProblems(found).map(at(found.line)));
  return { sections, problems: [...problems, ...unknownTags(body)] };
}

/** Tells the line, from 0, of places in a text. */
export function linesOf(text: string): (index: number) => number {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1))
    lines.addNewLine(at + 1);
  return (index) => lines.linePos(index).line - 1;
}

function section(lines: string[], from: number, to: number): PromptSection {
  const isFilled = (text: string) => text.trim() !== '';
  const first = lines.slice(from, to).findIndex(isFilled);
  if (first < 0) return { text: '', line: from };
  const last = lines.slice(0, to).findLastIndex(isFilled);
  return { text: lines.slice(from + first, last + 1).join('\n'), line: from + first };
}

function unclosedSection({ name, line }: { name: SectionName; line: number }): LineProblem {
  const tag = `WIGGUM_${name}_PROMPT`;
  return { line, message: `<${tag}> is never closed by a line </${tag}>` };
}

/** Conditions nest and each is closed by its own tag; an open one would swallow the rest of the prompt. */
function conditionProblems({ text }: PromptSection): LineProblem[] {
  const problems: LineProblem[] = [];
  const open: { name: string; line: number }[] = [];
  const lineAt = linesOf(text);
  for (const { 1: slash, 2: name = '', 3: path, index } of text.matchAll(CONDITION)) {
    const line = lineAt(index);
    if (!(CONDITIONS as readonly string[]).includes(name)) continue;
    if (!slash) {
      if (name === 'FILE_EXISTS' && !path?.trim())
        problems.push({ line, message: '<WIGGUM_IF_FILE_EXISTS:path> names no path' });
      open.push({ name, line });
    } else if (open.some((tag) => tag.name === name)) {
      while (open.at(-1)?.name !== name) problems.push(unclosedCondition(open.pop()));
      open.pop();
    } else problems.push({ line, message: `</WIGGUM_IF_${name}> closes nothing` });
  }
  return [...problems, ...open.map(unclosedCondition)];
}

function unclosedCondition(tag = { name: '', line: 0 }): LineProblem {
  return {
    line: tag.line,
    message: `<WIGGUM_IF_${tag.name}> is never closed by </WIGGUM_IF_${tag.name}>`,
  };
}

function unknownTags(body: string): LineProblem[] {
  const lineAt = linesOf(body);
  return [...body.matchAll(OUR_TAG)]
    .filter(([, name = '']) => !TAGS.includes(name))
    .map(({ 1: name = '', index }) => ({
      line: lineAt(index),
      message: `there is no tag <${name}>${didYouMean(name, TAGS)}`,
    }));
}

function at(first: number) {
  return (problem: LineProblem) => ({ ...problem, line: problem.line + first });
}
