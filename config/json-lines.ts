import { LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import type { DefinitionProblem } from './agent-definition.ts';
import { didYouMean } from './nearest-name.ts';

/** The value of a JSON file, with the line of each of its parts. */
export interface JsonFile {
  /** Absent when the text is not JSON. */
  value?: unknown;
  problems: DefinitionProblem[];
  /** Makes a problem that names the place of a path. */
  problemAt(path: readonly PropertyKey[], message: string): DefinitionProblem;
}

/** Reads JSON; keys given twice count as a fault, because the parser would silently take the last. */
export function readJson(source: string, file: string): JsonFile {
  const text = source.replace(/^\uFEFF/, '');
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
    return { value, problems: twice, problemAt };
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
  knownKeys: readonly string[],
): DefinitionProblem[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) =>
        json.problemAt([...issue.path, key], `there is no such key${didYouMean(key, knownKeys)}`),
      );
    const message =
      issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
    return [json.problemAt(issue.path, message)];
  });
}

/** A path in JSON as people write it: `steps[2].on_result.FIX`. */
export function jsonPath(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}
