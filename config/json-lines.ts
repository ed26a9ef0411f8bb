import { LineCounter, parseDocument, visit, type Document } from 'yaml';
import type { z } from 'zod';
import { own } from '../workflows/domain/steps.ts';
import type { DefinitionProblem } from './agent-definition.ts';
import { bracketDepth, MAX_DEPTH } from './bracket-depth.ts';
import { didYouMean } from './nearest-name.ts';

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/gs;

/** The value of a JSON file, with the line of each of its parts. */
export interface JsonFile {
  /** Absent when the text is not JSON. */
  value?: unknown;
  problems: DefinitionProblem[];
  /** Makes a problem that names the place of a path. */
  problemAt: (path: readonly PropertyKey[], message: string) => DefinitionProblem;
}

/** Reads JSON; keys given twice count as a fault, because the parser would silently take the last. */
export function readJson(source: string, file: string): JsonFile {
  const text = source.replace(/^\uFEFF/, '');
  if (bracketDepth(text.replace(STRING, '')) > MAX_DEPTH) {
    const problem = { file, message: `it nests deeper than ${MAX_DEPTH} levels` };
    return { problems: [problem], problemAt: () => problem };
  }
  const lines = new LineCounter();
  // JSON is YAML too, and the YAML parser knows where things stand.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const problemAt = (path: readonly PropertyKey[], message: string): DefinitionProblem => {
    const line = lineOf(path);
    const field = jsonPath(path);
    return { file, ...(line !== undefined && { line }), ...(field && { field }), message };
  };
  const lineOf = (path: readonly PropertyKey[]): number | undefined => {
    for (let length = path.length; length >= 0; length -= 1) {
      const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
      const { range } = (node ?? {}) as { range?: [number, number, number] };
      if (range) return lines.linePos(range[0]).line;
    }
    return undefined;
  };
  if (text.trim() === '') return { problems: [{ file, message: 'the file is empty' }], problemAt };
  try {
    const value: unknown = JSON.parse(text);
    const twice = document.errors
      .filter((error) => error.code === 'DUPLICATE_KEY')
      .map((error) => ({
        file,
        line: lines.linePos(error.pos[0]).line,
        message: 'the same key stands twice in one object; only the last would count',
      }));
    const hidden = linesOfPrototypes(document, lines).map((line) => ({
      file,
      line,
      message: 'there is no such key: "__proto__" is nobody\'s name',
    }));
    return { value, problems: [...twice, ...hidden], problemAt };
  } catch (cause) {
    const { message } = cause as Error;
    const at = /at position (\d+)/.exec(message)?.[1] ?? document.errors[0]?.pos[0];
    const line = at === undefined ? undefined : text.slice(0, Number(at)).split('\n').length;
    const fault = { message: `this is not JSON: ${message}` };
    return { problems: [{ file, ...(line !== undefined && { line }), ...fault }], problemAt };
  }
}

/** The problems of a schema, one per unknown key, with the place of each. */
export function schemaProblems(
  json: JsonFile,
  issues: readonly z.core.$ZodIssue[],
  keysAt: (path: readonly PropertyKey[]) => readonly string[],
): DefinitionProblem[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) =>
        json.problemAt(
          [...issue.path, key],
          `there is no such key${didYouMean(key, keysAt(issue.path)) || fewNames(keysAt(issue.path))}`,
        ),
      );
    const { message } = issue.code === 'invalid_key' ? (issue.issues[0] ?? issue) : issue;
    return [json.problemAt(issue.path, inOurWords(message))];
  });
}

/** A path in JSON as people write it: `steps[2].on_result.FIX`. */
export function jsonPath(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}

/** All names, where they are few enough to be read. */
function fewNames(names: readonly string[]): string {
  return names.length === 0 || names.length > 4 ? '' : `; there are ${names.join(', ')}`;
}

/** `__proto__` is an ordinary key to the parser, and schemas pass over it without a word. */
function linesOfPrototypes(document: Document, lines: LineCounter): number[] {
  const found: number[] = [];
  visit(document, {
    Pair: (_, { key }) => {
      const { value, range } = key as { value?: unknown; range?: [number, number, number] };
      if (value === '__proto__') found.push(lines.linePos(range?.[0] ?? 0).line);
    },
  });
  return found;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function inOurWords(message: string): string {
  const [, bound, limit] =
    /^Too (small|big): expected \w+ to be [<>]=?(-?[\d.]+)$/.exec(message) ?? [];
  if (bound !== undefined) return `expected ${limit} or ${bound === 'small' ? 'more' : 'less'}`;
  if (message.startsWith('Too small: ')) return 'must not be empty';
  const [, options] = /^Invalid option: expected one of (.*)$/.exec(message) ?? [];
  if (options !== undefined) return `expected one of ${options.replaceAll('|', ', ')}`;
  const [, kind = '', found] =
    /^Invalid input: expected (\w+), received (\w+)$/.exec(message) ?? [];
  const wanted = own(KINDS, kind);
  if (wanted === undefined) return message;
  return found === 'undefined'
    ? `is missing; expected ${wanted}`
    : `expected ${wanted}, found ${own(KINDS, found ?? '') ?? found}`;
}
