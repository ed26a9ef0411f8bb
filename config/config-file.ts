import { join } from 'node:path';
import { z } from 'zod';
import { WiggumError } from '../workflows/domain/errors.ts';
import { describeProblem, type DefinitionProblem } from './agent-definition.ts';
import { agentName, expected, limitFields } from './agent-limits.ts';
import { globalFolders } from './global-folder.ts';
import { readJson, schemaProblems, type JsonFile } from './json-lines.ts';
import { didYouMean } from './nearest-name.ts';
import { readText } from './read-text.ts';
import type { Environment } from './state-dir.ts';

const text = z.string(expected('text')).min(1, expected('text'));
const words = z.array(text, expected('a list of texts'));
const object = <Shape extends z.ZodRawShape>(shape: Shape) =>
  // Unknown keys pass: files written for the original program carry many that we do not read.
  z.looseObject(shape, expected('an object')).optional();

const hookName = z.string().regex(/^[a-z][a-z0-9_-]*$/, {
  error: ({ input }) =>
    `expected small letters, digits, \`-\` and \`_\`, a letter first, found "${input}"`,
});
const prompts = object({
  pre_system: z.string(expected('text')).optional(),
  post_system: z.string(expected('text')).optional(),
  pre_user: z.string(expected('text')).optional(),
  post_user: z.string(expected('text')).optional(),
});
const dollars = expected('an amount in dollars, 0 or more');

const schema = z.looseObject(
  {
    checks: words.optional(),
    runtime: object({
      backend: text.optional(),
      script: text.optional(),
      backends: z.record(z.string(), z.looseObject({ prompts }, expected('an object'))).optional(),
    }),
    git: object({
      author_name: text.optional(),
      author_email: text.optional(),
      default_branch: text.optional(),
    }),
    workers: object({
      max_workers: z
        .int(expected('a whole number from 1 to 9999'))
        .min(1, expected('a whole number from 1 to 9999'))
        .max(9999, expected('a whole number from 1 to 9999'))
        .optional(),
    }),
    hooks: object({
      commands: z
        .record(hookName, words.min(1, expected('a program and its arguments')))
        .optional(),
    }),
    agents: z.record(agentName, z.looseObject(limitFields, expected('an object'))).optional(),
    plan_mode: z.boolean(expected('true or false')).optional(),
    cost_limit: z.number(dollars).nonnegative(dollars).optional(),
  },
  expected('an object'),
);

/** The file as it is written, for the schema that editors read. */
export const CONFIG_FORM = schema;

/** What a `config.json` says, as far as we read it. */
export type ConfigValues = z.infer<typeof schema>;

/** One `config.json` as it stands. */
export interface ConfigFile {
  file: string;
  values: ConfigValues;
}

/** Where settings are read from, the strongest first: the project's file, then that of WIGGUM_HOME. */
export function configFilesOf(ralphDir: string, environment: Environment): string[] {
  return [
    join(ralphDir, 'config.json'),
    ...globalFolders(environment).map((home) => join(home, 'config', 'config.json')),
  ];
}

export interface ParsedConfig {
  /** There when the file has no problem. */
  values?: ConfigValues;
  problems: DefinitionProblem[];
  /** Keys that look like slips. */
  notices: DefinitionProblem[];
  problemAt: JsonFile['problemAt'];
}

/** Reads a `config.json`; all of its problems are found at once. */
export function parseConfigFile(source: string, file: string): ParsedConfig {
  const json = readJson(source, file);
  const { problemAt } = json;
  if (json.value === undefined) return { problems: json.problems, notices: [], problemAt };
  const read = schema.safeParse(json.value);
  const problems = [...json.problems, ...schemaProblems(json, read.error?.issues ?? [], () => [])];
  const notices = nearMisses(schema, json.value, json);
  return read.success && problems.length === 0
    ? { values: read.data, problems, notices, problemAt }
    : { problems, notices, problemAt };
}

/** Reads the files that are there; a damaged one is named, with everything that is wrong in it. */
export async function readConfigFiles(
  ralphDir: string,
  environment: Environment,
): Promise<ConfigFile[]> {
  const found: ConfigFile[] = [];
  for (const file of configFilesOf(ralphDir, environment)) {
    const source = await readText(file);
    if (source === undefined) continue;
    const { values, problems } = parseConfigFile(source, file);
    if (!values)
      throw new WiggumError(
        'CONFIG_INVALID',
        `The settings cannot be used:${problems.map((problem) => `\n  ${describeProblem(problem)}`).join('')}`,
        { where: file },
      );
    found.push({ file, values });
  }
  return found;
}

/** Objects all of whose keys are ours, and what files of the original have in them beside. */
const OUR_OBJECTS: readonly { at: RegExp; others: readonly string[] }[] = [
  { at: /^runtime$/, others: [] },
  { at: /^hooks$/, others: ['enabled', 'worker_hooks'] },
  { at: /^agents\0[^\0]+$/, others: [] },
];

/** Keys that nobody reads, and that are nearly one of ours or stand where only ours do. */
function nearMisses(
  type: unknown,
  value: unknown,
  json: JsonFile,
  path: readonly string[] = [],
): DefinitionProblem[] {
  if (typeof value !== 'object' || value === null) return [];
  if (type instanceof z.ZodOptional) return nearMisses(type.unwrap(), value, json, path);
  const entries = Object.entries(value as Record<string, unknown>);
  if (type instanceof z.ZodRecord)
    return entries.flatMap(([key, inner]) =>
      nearMisses(type.valueType, inner, json, [...path, key]),
    );
  if (!(type instanceof z.ZodObject)) return [];
  const shape = type.shape as Record<string, unknown>;
  const ours = OUR_OBJECTS.find(({ at }) => at.test(path.join('\0')));
  return entries.flatMap(([key, inner]) => {
    if (Object.hasOwn(shape, key)) return nearMisses(shape[key], inner, json, [...path, key]);
    const meant = didYouMean(key, Object.keys(shape));
    const isStray = ours !== undefined && !ours.others.includes(key);
    if (!meant && !isStray) return [];
    const known = `; there are ${Object.keys(shape).join(', ')}`;
    return [json.problemAt([...path, key], `nobody reads this key${meant || known}`)];
  });
}
