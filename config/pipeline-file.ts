import { z } from 'zod';
import type { Handler, Pipeline, Step } from '../workflows/domain/steps.ts';
import type { DefinitionProblem } from './agent-definition.ts';
import { expected, limitFields } from './agent-limits.ts';
import { readJson, schemaProblems } from './json-lines.ts';
import { NAMELESS, outlinePipeline, outlineProblems } from './pipeline-outline.ts';
import { MAPPING_KEYS, resultMappings, resultName } from './result-mappings.ts';

export interface ParsedPipeline {
  /** There when the file has no problem. */
  pipeline?: Pipeline;
  problems: DefinitionProblem[];
  /** Agents that the file names, right or wrong. */
  agents: { type: string; problem: (message: string) => DefinitionProblem }[];
  /** Hooks that it calls. */
  hooks: { name: string; problem: (message: string) => DefinitionProblem }[];
}

/** Plans and pipelines travel in histories, which carry no more than this. */
const MAX_UNITS = 100;

/** Reads a pipeline's JSON file; all of its problems are found at once. */
export function parsePipeline(text: string, source: string): ParsedPipeline {
  const json = readJson(text, source);
  if (json.value === undefined) return { problems: json.problems, agents: [], hooks: [] };
  const outline = outlinePipeline(json.value);
  const units = outline.agents.length;
  if (units > MAX_UNITS) {
    const message = `${units} steps and handlers are too many; ${MAX_UNITS} are the most`;
    return { problems: [json.problemAt(['steps'], message)], agents: [], hooks: [] };
  }
  const read = rootSchema.safeParse(json.value);
  const problems = [
    ...json.problems,
    ...schemaProblems(json, read.error?.issues ?? [], keysAt),
    ...outlineProblems(outline).map(({ path, message }) => json.problemAt(path, message)),
  ];
  const problemOf = (path: readonly PropertyKey[]) => (message: string) =>
    json.problemAt(path, message);
  return {
    ...(read.success && problems.length === 0 && { pipeline: read.data }),
    problems,
    agents: outline.agents.map(({ name, path }) => ({ type: name, problem: problemOf(path) })),
    hooks: outline.hooks.map(({ name, path }) => ({ name, problem: problemOf(path) })),
  };
}

const filled = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .refine((text) => !/\p{Cc}/u.test(text), 'expected one line without control characters');

const seconds = expected('a whole number from 1 to 86400');
const dollars = expected('an amount in dollars, 0 or more');

const unitFields = {
  agent: filled,
  max: z.int(expected('a whole number')).min(0, 'expected 0 (no limit) or more').default(0),
  on_max: filled.default('next'),
  on_result: z
    .record(
      resultName,
      z.lazy(() => handlerSchema),
    )
    .default({}),
  readonly: z.boolean().default(false),
  enabled_by: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'expected the name of an environment variable')
    .optional(),
  commit_after: z.boolean().default(false),
  config: z.looseObject(limitFields).default({}),
  timeout_seconds: z.int(seconds).min(1, seconds).max(86_400, seconds).optional(),
  hooks: z
    .strictObject({ pre: z.array(filled).default([]), post: z.array(filled).default([]) })
    .optional(),
};
const id = z
  .string()
  .regex(/^[a-z][a-z0-9_-]*$/, 'an id has small letters, digits, `-` and `_`, a letter first');

const stepInput = z.strictObject({ id, ...unitFields });
const inlineInput = z.strictObject({ id: id.default(NAMELESS), ...unitFields });
const jumpInput = z.strictObject({ jump: filled });

const stepSchema = stepInput.transform(toStep);
const inlineSchema = inlineInput.transform((raw): Handler => ({
  kind: 'inline',
  step: toStep(raw),
}));
const jumpSchema = jumpInput.transform(({ jump }): Handler => ({ kind: 'jump', to: jump }));

const handlerSchema: z.ZodType<Handler> = z.unknown().transform((value, context) => {
  if (typeof value === 'string') {
    context.addIssue(`a bare "${value}" is no handler; write {"jump": ${JSON.stringify(value)}}`);
    return z.NEVER;
  }
  const has = (key: string) => typeof value === 'object' && value !== null && key in value;
  if (!has('jump') && !has('agent')) {
    context.addIssue('expected {"jump": "…"} or an inline agent {"id": "…", "agent": "…"}');
    return z.NEVER;
  }
  if (has('jump') && has('agent')) {
    context.addIssue('either a jump or an agent, not both');
    return z.NEVER;
  }
  const read = (has('agent') ? inlineSchema : jumpSchema).safeParse(value);
  if (read.success) return read.data;
  for (const issue of read.error.issues) context.issues.push({ ...issue, input: value } as never);
  return z.NEVER;
});

const rootInput = z.strictObject({
  $schema: z.string().optional(),
  name: filled.default('unnamed'),
  description: z.string().optional(),
  result_mappings: resultMappings.default({}),
  cost_limit: z.number(dollars).nonnegative(dollars).optional(),
  steps: z.array(stepSchema).min(1, 'a pipeline has at least one step'),
});

const rootSchema = rootInput.transform((raw): Pipeline => ({
  name: raw.name,
  steps: raw.steps,
  resultMappings: raw.result_mappings,
  ...(raw.cost_limit !== undefined && { costLimitUsd: raw.cost_limit }),
}));

/** The forms of the file as it is written, for the schema that editors read. */
export const PIPELINE_FORMS = {
  root: rootInput,
  handler: handlerSchema,
  jump: jumpInput,
  inline: inlineInput,
};

/** The keys that an object of the file may have. */
function keysAt(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return Object.keys(rootInput.shape);
  if (path[0] === 'result_mappings') return MAPPING_KEYS;
  return path.at(-1) === 'hooks' ? ['pre', 'post'] : [...Object.keys(stepInput.shape), 'jump'];
}

function toStep(raw: z.infer<typeof stepInput>): Step {
  return {
    id: raw.id,
    agent: raw.agent,
    max: raw.max,
    onMax: raw.on_max,
    onResult: raw.on_result,
    readonly: raw.readonly,
    commitAfter: raw.commit_after,
    ...(raw.enabled_by !== undefined && { enabledBy: raw.enabled_by }),
    ...(raw.timeout_seconds !== undefined && { timeoutSeconds: raw.timeout_seconds }),
    ...(raw.hooks && { hooks: raw.hooks }),
    config: raw.config,
  };
}
