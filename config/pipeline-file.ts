import { z } from 'zod';
import type { Handler, Pipeline, Step } from '../workflows/domain/steps.ts';
import type { DefinitionProblem } from './agent-definition.ts';
import { IDLE_LIMITS, limitFields } from './agent-limits.ts';
import { readJson, schemaProblems } from './json-lines.ts';
import { outlinePipeline, outlineProblems } from './pipeline-outline.ts';
import { MAPPING_KEYS, resultMappings, resultName } from './result-mappings.ts';

export interface ParsedPipeline {
  /** There when the file has no problem. */
  pipeline?: Pipeline;
  problems: DefinitionProblem[];
  /** Keys that are right and have no effect yet. */
  notices: DefinitionProblem[];
  /** Agents that the file names, right or wrong. */
  agents: { type: string; problem: (message: string) => DefinitionProblem }[];
}

/** Reads a pipeline's JSON file; all of its problems are found at once. */
export function parsePipeline(text: string, source: string): ParsedPipeline {
  const json = readJson(text, source);
  if (json.value === undefined) return { problems: json.problems, notices: [], agents: [] };
  const read = rootSchema.safeParse(json.value);
  const outline = outlinePipeline(json.value);
  const problems = [
    ...json.problems,
    ...schemaProblems(json, read.error?.issues ?? [], KNOWN_KEYS),
    ...outlineProblems(outline).map(({ path, message }) => json.problemAt(path, message)),
  ];
  const idle = outline.keys.filter(({ path }) => isIdle(path));
  return {
    ...(read.success && problems.length === 0 && { pipeline: read.data }),
    problems,
    notices: idle.map(({ path }) => json.problemAt(path, 'has no effect yet')),
    agents: outline.agents.map(({ name, path }) => ({
      type: name,
      problem: (message) => json.problemAt(path, message),
    })),
  };
}

const filled = z.string().trim().min(1, 'must not be empty');

const unitFields = {
  agent: filled,
  max: z.int().min(0, 'expected 0 (no limit) or more').default(0),
  on_max: filled.default('next'),
  on_result: z
    .record(
      resultName,
      z.lazy(() => handlerSchema),
    )
    .default({}),
  readonly: z.boolean().default(false),
  commit_after: z.boolean().default(false),
  config: z.looseObject(limitFields).default({}),
  timeout_seconds: z.int().min(1).max(86_400).optional(),
};
const id = z
  .string()
  .regex(/^[a-z][a-z0-9_-]*$/, 'an id has small letters, digits, `-` and `_`, a letter first');

const inlineSchema = z
  .strictObject({ id: id.default('inline'), ...unitFields })
  .transform((raw): Handler => ({ kind: 'inline', step: toStep(raw) }));

const stepSchema = z
  .strictObject({
    id,
    ...unitFields,
    enabled_by: z
      .string()
      .regex(/^[A-Za-z_]\w*$/, 'expected the name of an environment variable')
      .optional(),
    hooks: z
      .strictObject({ pre: z.array(filled).default([]), post: z.array(filled).default([]) })
      .optional(),
  })
  .transform((raw): Step => ({
    ...toStep(raw),
    ...(raw.enabled_by !== undefined && { enabledBy: raw.enabled_by }),
  }));

const jumpSchema = z
  .strictObject({ jump: filled })
  .transform(({ jump }): Handler => ({ kind: 'jump', to: jump }));

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
  const read = (has('agent') ? inlineSchema : jumpSchema).safeParse(value);
  if (read.success) return read.data;
  for (const issue of read.error.issues) context.issues.push({ ...issue, input: value } as never);
  return z.NEVER;
});

const rootSchema = z
  .strictObject({
    $schema: z.string().optional(),
    name: filled.default('unnamed'),
    description: z.string().optional(),
    result_mappings: resultMappings.default({}),
    cost_limit: z.number().nonnegative().optional(),
    steps: z.array(stepSchema).min(1, 'a pipeline has at least one step'),
  })
  .transform((raw): Pipeline => ({
    name: raw.name,
    steps: raw.steps,
    resultMappings: raw.result_mappings,
    ...(raw.cost_limit !== undefined && { costLimitUsd: raw.cost_limit }),
  }));

const KNOWN_KEYS = [
  ...['name', 'description', 'result_mappings', 'cost_limit', 'steps'],
  ...['id', 'enabled_by', 'hooks', 'pre', 'post', 'jump'],
  ...Object.keys(unitFields),
  ...MAPPING_KEYS,
];

type RawUnit = z.infer<z.ZodObject<typeof unitFields>> & { id: string };

function toStep(raw: RawUnit): Step {
  return {
    id: raw.id,
    agent: raw.agent,
    max: raw.max,
    onMax: raw.on_max,
    onResult: raw.on_result,
    readonly: raw.readonly,
    commitAfter: raw.commit_after,
    ...(raw.timeout_seconds !== undefined && { timeoutSeconds: raw.timeout_seconds }),
    config: raw.config,
  };
}

function isIdle(path: readonly PropertyKey[]): boolean {
  const key = String(path.at(-1));
  return key === 'hooks' || (path.at(-2) === 'config' && IDLE_LIMITS.includes(key));
}
