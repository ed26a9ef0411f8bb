import matter from 'gray-matter';
import { LineCounter, isMap, parseDocument, visit, type Document, type YAMLError } from 'yaml';
import { bracketDepth } from './bracket-depth.ts';

export interface FrontMatter {
  data: Record<string, unknown>;
  /** Everything after the closing `---`. */
  body: string;
  /** Line of the file on which the body begins, from 1. */
  bodyLine: number;
  problems: { line: number; message: string }[];
  /** The fields can be judged, whatever the problems are. */
  isReadable: boolean;
  /** Line of the file on which a field stands. */
  lineOf(field: string): number | undefined;
}

/** Splits a markdown file into its YAML head and its body; finds all faults of the head, and never throws. */
export function readFrontMatter(source: string): FrontMatter {
  const text = source.replace(/^\uFEFF/, '');
  const fault = faultOfFrame(text);
  if (fault !== undefined)
    return {
      data: {},
      body: text,
      bodyLine: 1,
      problems: [{ line: 1, message: fault }],
      isReadable: false,
      lineOf: () => undefined,
    };
  const lines = new LineCounter();
  let head: Head = { data: {}, problems: [], isReadable: true, lineOf: () => undefined };
  // Options also switch gray-matter's cache off: with it a file that failed once comes back empty.
  const { content } = matter(text, {
    engines: {
      yaml: (yaml) => {
        head = readHead(yaml.replace(/\r$/, ''), lines);
        return head.data;
      },
      // The frame was checked above; gray-matter by itself would evaluate a head in JavaScript.
      javascript: refuse,
      js: refuse,
    },
  });
  return {
    ...head,
    body: content,
    bodyLine: 1 + countLines(text.slice(0, -content.length || undefined)),
  };
}

const MAX_NESTING = 20;
const DEEP_BLOCK = /^\s*(?:[-?:][ \t]+){20}/m;

type Head = Pick<FrontMatter, 'data' | 'problems' | 'isReadable' | 'lineOf'>;

function faultOfFrame(text: string): string | undefined {
  const [first = '', ...rest] = text.split(/\r?\n/);
  if (!/^---(?!-)/.test(first))
    return 'there is no front matter; the file begins with a line `---`, fields, and another `---`';
  if (first.trim() !== '---')
    return `front matter is YAML between two lines \`---\`, not "${first.trim()}"`;
  if (!rest.some((line) => line.startsWith('---')))
    return 'the front matter is opened and never closed by a second line `---`';
  return undefined;
}

function readHead(yaml: string, lines: LineCounter): Head {
  const refused = (...problems: Head['problems']): Head => ({
    data: {},
    problems,
    isReadable: false,
    lineOf: () => undefined,
  });
  if (bracketDepth(yaml) > MAX_NESTING || DEEP_BLOCK.test(yaml))
    return refused({ line: 2, message: 'it nests too deep; a field is a word or a list of words' });
  const document = parseDocument(quoteTemplates(yaml), { lineCounter: lines, prettyErrors: true });
  const { contents } = document;
  const problems = document.errors.map((error) => ({
    line: lines.linePos(error.pos[0]).line,
    message: inOurWords(error),
  }));
  const isWhole = document.errors.every(({ code }) => code === 'DUPLICATE_KEY');
  const aliases = isWhole ? aliasProblems(document, lines) : [];
  if (!isWhole || aliases.length > 0) return refused(...problems, ...aliases);
  if (contents !== null && !isMap(contents))
    return refused({ line: 2, message: 'front matter is a list of fields like `mode: once`' });
  return {
    data: (document.toJS() ?? {}) as Record<string, unknown>,
    problems,
    isReadable: true,
    lineOf: (field) => {
      const key = contents?.items.find((pair) => String(pair.key) === field)?.key;
      const range = (key as { range?: [number, number, number] } | undefined)?.range;
      return range && lines.linePos(range[0]).line;
    },
  };
}

/** A few lines of them can stand for gigabytes, or for themselves; no field needs one. */
function aliasProblems(document: Document, lines: LineCounter): Head['problems'] {
  const problems: Head['problems'] = [];
  visit(document, {
    Alias: (_, { source, range }) => {
      const { line } = lines.linePos(range?.[0] ?? 0);
      problems.push({ line, message: `*${source} is an alias; write the value itself` });
    },
  });
  return problems;
}

/** `plan_file: {{ralph_dir}}/plan.md` is a path to everybody, and a broken mapping to YAML. */
function quoteTemplates(yaml: string): string {
  return yaml.replace(
    /^([\w-]+:[ \t]+)(\{\{.*)$/gm,
    (_, key: string, value: string) => `${key}'${value.trimEnd().replaceAll("'", "''")}'`,
  );
}

function refuse(): never {
  throw new Error('front matter is YAML; nothing else is read, and nothing is executed');
}

/** Faults that people make, told with their way out; the others as the parser puts them. */
function inOurWords({ code, message }: YAMLError): string {
  if (code === 'DUPLICATE_KEY') return 'the same field stands twice; only one can count';
  if (code === 'TAB_AS_INDENT') return 'a tab stands before the text; indent with blanks';
  if (code === 'MULTILINE_IMPLICIT_KEY')
    return 'expected a field like `mode: once`, with a blank after the colon';
  const said = (message.split('\n')[0] ?? message).replace(/ at line \d+, column \d+:?$/, '');
  return code === 'BLOCK_AS_IMPLICIT_KEY' || code === 'BAD_SCALAR_START'
    ? `${said} (a value with ": " in it or a sign before it needs quotes)`
    : said;
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}
