import { z } from 'zod';
import { AGENT_MODES } from '../workflows/domain/agent.ts';
import type { AgentDefinition, CompletionCheck, DefinitionProblem } from './agent-definition.ts';
import { AGENT_TYPE } from './agent-names.ts';
import { readFrontMatter, type FrontMatter } from './front-matter.ts';
import { didYouMean } from './nearest-name.ts';
import { linesOf, readSections, type PromptSections } from './prompt-sections.ts';
import { findUnknownVariables } from './prompt-variables.ts';

export interface ParsedAgent {
  /** There when the file has no problem. */
  definition?: AgentDefinition;
  problems: DefinitionProblem[];
  /** Fields that are right and have no effect. */
  notices: DefinitionProblem[];
}

/** Reads an agent's markdown file; all of its problems are found at once. `type` is what its place makes it. */
export function parseAgent(text: string, source: string, type?: string): ParsedAgent {
  const front = readFrontMatter(text);
  const inHead = front.problems.map((fault) => ({ file: source, ...fault }));
  const prompts = readSections(front.body);
  const inPrompts = promptProblems(front, prompts, source);
  if (!front.isReadable) return { problems: [...inHead, ...inPrompts], notices: [] };
  const fields = fieldsSchema.safeParse(front.data);
  const inFile = (field: string, message: string): DefinitionProblem => {
    const line = front.lineOf(field);
    return { file: source, ...(line !== undefined && { line }), field, message };
  };
  const faults = [
    ...(fields.error?.issues ?? []).flatMap(describeIssue),
    ...placeFaults(front.data, type),
    ...modeFaults(front.data),
    ...templateFaults(front.data),
  ];
  const problems = [
    ...inHead,
    ...faults.map(([field, message]) => inFile(field, message)),
    ...missingPrompts(front, prompts, source),
    ...inPrompts,
  ];
  const notices = noticesOf(front.data, prompts).map(([field, message]) => inFile(field, message));
  if (!fields.success || problems.length > 0) return { problems, notices };
  const { USER, SYSTEM, CONTINUATION } = prompts.sections;
  return {
    definition: {
      ...fields.data,
      systemPrompt: SYSTEM?.text ?? '',
      userPrompt: USER?.text ?? '',
      ...(CONTINUATION?.text && { continuationPrompt: CONTINUATION.text }),
      settings: { resultMappings: {} },
      source,
    },
    problems,
    notices,
  };
}

/** A field and what is wrong with it. */
type Fault = readonly [field: string, message: string];

/** What can become the name of a variable. */
const OUTPUT_KEY = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

const brief = (found: string) => (found.length > 80 ? `${found.slice(0, 80)}…` : found);
const needs = (what: string) => ({
  error: (issue: { input?: unknown }) =>
    issue.input === undefined || issue.input === null
      ? `is missing; expected ${what}`
      : `expected ${what}, found ${brief(JSON.stringify(issue.input))}`,
});
const text = (what: string) =>
  z
    .string(needs(what))
    .trim()
    .min(1, { error: `must not be empty; expected ${what}`, abort: true });
const list = (what: string, item: z.ZodType<string>) =>
  z.array(item, needs(what)).min(1, `must not be empty; expected ${what}`);

const resultName = text('a result name')
  .meta({ pattern: '^[A-Z]{3,10}$' })
  .check((context) => {
    if (context.value === 'UNKNOWN' || !/^[A-Z]{3,10}$/.test(context.value))
      context.issues.push({
        code: 'custom',
        input: context.value,
        message:
          context.value === 'UNKNOWN'
            ? 'UNKNOWN means that an agent gave no result; it cannot be one'
            : `"${brief(context.value)}" is no result name; one has 3 to 10 capital letters, like PASS`,
      });
  });

const requiredPath = text('a path').refine(
  (path) => !path.startsWith('/') && !path.split('/').includes('..'),
  { error: (issue) => `"${brief(String(issue.input))}" must lie inside the worker directory` },
);

/** Variables may lead elsewhere on purpose; `..` never does. */
const ownFile = text('a path')
  .refine((path) => !path.split('/').includes('..'), {
    error: (issue) => `"${brief(String(issue.input))}" must not leave its folder by ".."`,
  })
  .optional();

const tag = (name: string) =>
  text('a tag name')
    .regex(/^[A-Za-z][\w-]*$/, 'a tag name has letters, digits, `-` and `_` only')
    .default(name);

const completionCheck = text('a completion check')
  .meta({ pattern: '^(result_tag|status_file:.+|file_exists:.+)$' })
  .default('result_tag')
  .transform((value, context): CompletionCheck => {
    const [, kind, path = ''] = /^(\w+)(?::(.*))?$/s.exec(value) ?? [];
    if (value === 'result_tag') return { kind: 'result-tag' };
    if (kind === 'status_file' && path.trim()) return { kind: 'status-file', path: path.trim() };
    if (kind === 'file_exists' && path.trim()) return { kind: 'file-exists', path: path.trim() };
    const known = 'result_tag, status_file:PATH or file_exists:PATH';
    const meant = didYouMean(kind ?? value, ['result_tag', 'status_file', 'file_exists']);
    context.addIssue(`expected ${known}, found "${brief(value)}"${meant}`);
    return z.NEVER;
  });

const rawSchema = z.strictObject({
  type: text('a type like engineering.code-review').regex(
    AGENT_TYPE,
    'expected category.name in small letters and hyphens (no digits), like engineering.code-review',
  ),
  description: text('one sentence about the agent'),
  required_paths: list('a list of paths like [workspace]', requiredPath),
  valid_results: list('a list of results like [PASS, FAIL]', resultName),
  mode: z.enum(AGENT_MODES, needs(`one of ${AGENT_MODES.join(', ')}`)),
  readonly: z.boolean(needs('true or false')).default(false),
  report_tag: tag('report'),
  result_tag: tag('result'),
  output_path: ownFile,
  completion_check: completionCheck,
  session_from: z.literal('parent', needs('parent')).optional(),
  supervisor_interval: z
    .int(needs('a whole number'))
    .min(0, 'expected 0 to 20')
    .max(20, 'expected 0 to 20')
    .default(0),
  plan_file: ownFile,
  outputs: z.array(text('a key'), needs('a list of keys')).default([]),
  workspace_override: text('a folder').optional(),
});
const FIELDS = Object.keys(rawSchema.shape);

/** The fields as they are written, for the schema that editors read. */
export const FRONT_MATTER_FORM = rawSchema;

const fieldsSchema = rawSchema.transform((raw) => ({
  type: raw.type,
  description: raw.description,
  requiredPaths: raw.required_paths,
  validResults: [...new Set(raw.valid_results)],
  mode: raw.mode,
  readonly: raw.readonly,
  reportTag: raw.report_tag,
  resultTag: raw.result_tag,
  ...(raw.output_path !== undefined && { outputPath: raw.output_path }),
  completionCheck: raw.completion_check,
  ...(raw.session_from !== undefined && { sessionFrom: raw.session_from }),
  supervisorInterval: raw.supervisor_interval,
  ...(raw.plan_file !== undefined && { planFile: raw.plan_file }),
  outputs: raw.outputs,
}));

function describeIssue(issue: z.core.$ZodIssue): Fault[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => [key, `there is no such field${didYouMean(key, FIELDS)}`]);
  return [[String(issue.path[0] ?? 'front matter'), issue.message]];
}

function placeFaults({ type: found }: Record<string, unknown>, type: string | undefined): Fault[] {
  if (type === undefined || typeof found !== 'string' || !AGENT_TYPE.test(found.trim())) return [];
  return found.trim() === type
    ? []
    : [['type', `is "${brief(found.trim())}", and the file's place makes it ${type}`]];
}

/** Faults that lie between fields. */
function modeFaults(data: Record<string, unknown>): Fault[] {
  const faults: Fault[] = [];
  if (data['mode'] === 'resume' && (data['session_from'] ?? undefined) === undefined)
    faults.push(['session_from', 'mode resume needs `session_from: parent`']);
  const { report_tag: report = 'report', result_tag: result = 'result' } = data;
  if (report === result)
    faults.push(['result_tag', 'the result and the report need tags of different names']);
  return faults;
}

function templateFaults(data: Record<string, unknown>): Fault[] {
  const faults: Fault[] = [];
  for (const field of ['output_path', 'plan_file', 'completion_check']) {
    const value = data[field];
    if (typeof value !== 'string') continue;
    faults.push(...findUnknownVariables(value).map(({ message }) => [field, message] as const));
    if (value.includes(`{{${field}}}`)) faults.push([field, 'cannot be made of itself']);
  }
  const check = data['completion_check'];
  if (typeof check === 'string' && check.includes('{{output_path}}') && !data['output_path'])
    faults.push(['completion_check', 'needs {{output_path}}, and `output_path` is not set']);
  return faults;
}

function missingPrompts(
  { data }: FrontMatter,
  { sections }: PromptSections,
  file: string,
): DefinitionProblem[] {
  const needed = data['mode'] === 'resume' ? (['USER'] as const) : (['SYSTEM', 'USER'] as const);
  return needed
    .filter((name) => !sections[name]?.text)
    .map((name) => `WIGGUM_${name}_PROMPT`)
    .map((name) => ({
      file,
      field: name,
      message: `is missing or empty; write it between lines <${name}> and </${name}>`,
    }));
}

/** Faults inside the prompts, also of a file whose head cannot be read. */
function promptProblems(
  { bodyLine }: FrontMatter,
  { sections, problems }: PromptSections,
  file: string,
): DefinitionProblem[] {
  const variables = Object.values(sections).flatMap(({ text, line }) => {
    const lineAt = linesOf(text);
    return findUnknownVariables(text).map(({ at, message }) => ({
      line: line + lineAt(at),
      message,
    }));
  });
  return [...problems, ...variables]
    .sort((a, b) => a.line - b.line)
    .map(({ line, message }) => ({ file, line: bodyLine + line, message }));
}

function noticesOf(data: Record<string, unknown>, { sections }: PromptSections): Fault[] {
  const notices: Fault[] = [];
  if (data['workspace_override'])
    notices.push(['workspace_override', 'has no effect: agents work in their workspace']);
  if (sections.CONTINUATION && data['mode'] !== 'ralph_loop')
    notices.push(['mode', 'WIGGUM_CONTINUATION_PROMPT is used in mode ralph_loop only']);
  if (Number(data['supervisor_interval']) > 0 && data['mode'] !== 'ralph_loop')
    notices.push(['supervisor_interval', 'has no effect: a supervisor looks at a ralph_loop only']);
  if (data['session_from'] && data['mode'] !== 'resume')
    notices.push(['session_from', 'has no effect: only mode resume takes up a session']);
  const outputs = Array.isArray(data['outputs']) ? (data['outputs'] as unknown[]) : [];
  for (const key of outputs)
    if (typeof key === 'string' && !OUTPUT_KEY.test(key.trim()))
      notices.push([
        'outputs',
        `"${brief(key)}" is never handed on: a key has letters, digits and "_", no digit first`,
      ]);
  return notices;
}
