import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { WiggumError } from '../workflows/domain/errors.ts';
import { own } from '../workflows/domain/steps.ts';
import { describeProblem, type AgentSettings, type DefinitionProblem } from './agent-definition.ts';
import { limitFields } from './agent-limits.ts';
import { globalFolders } from './global-folder.ts';
import { readJson, schemaProblems } from './json-lines.ts';
import { packageRoot } from './package-root.ts';
import { MAPPING_KEYS, resultMappings } from './result-mappings.ts';
import type { Environment } from './state-dir.ts';

const entry = z.strictObject({ ...limitFields, result_mappings: resultMappings.default({}) });
const fileSchema = z.strictObject({
  $schema: z.string().optional(),
  agents: z
    .record(z.string().regex(/^[a-z][a-z0-9.-]*$/, 'expected an agent type'), entry)
    .default({}),
  defaults: entry.optional(),
});

/** Limits and result mappings of every agent, as `agents.json` has them. */
export type AgentsFile = z.infer<typeof fileSchema>;

/** Reads an `agents.json`; all of its problems are found at once. */
export function parseAgentsFile(
  text: string,
  source: string,
): { settings?: AgentsFile; problems: DefinitionProblem[] } {
  const json = readJson(text, source);
  if (json.value === undefined) return { problems: json.problems };
  const read = fileSchema.safeParse(json.value);
  const known = [...Object.keys(entry.shape), ...MAPPING_KEYS, 'agents', 'defaults'];
  const problems = [...json.problems, ...schemaProblems(json, read.error?.issues ?? [], known)];
  return read.success && problems.length === 0 ? { settings: read.data, problems } : { problems };
}

/** The files that hold, the strongest first: of the installation that WIGGUM_HOME names, then ours. */
export async function loadAgentsFiles(environment: Environment): Promise<AgentsFile[]> {
  const files = [...globalFolders(environment), packageRoot()].map((folder) =>
    path.join(folder, 'config', 'agents.json'),
  );
  const read = await Promise.all(files.map(readAgentsFile));
  return read.filter((file) => file !== undefined);
}

/** What the files say of one agent: its own entries, then the defaults. */
export function settingsOf(type: string, files: readonly AgentsFile[]): AgentSettings {
  const levels = [...files.map(({ agents }) => own(agents, type)), ...files.map((f) => f.defaults)];
  const first = (name: 'max_iterations' | 'max_turns' | 'timeout_seconds') =>
    levels.find((level) => level?.[name] !== undefined)?.[name];
  const [maxIterations, maxTurns, timeoutSeconds] = [
    first('max_iterations'),
    first('max_turns'),
    first('timeout_seconds'),
  ];
  return {
    ...(maxIterations !== undefined && { maxIterations }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    resultMappings: Object.assign(
      {},
      ...levels.toReversed().map((level) => level?.result_mappings),
    ) as AgentSettings['resultMappings'],
  };
}

async function readAgentsFile(file: string): Promise<AgentsFile | undefined> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return undefined;
    throw new WiggumError('CONFIG_INVALID', `${file} cannot be read: ${cause.message}`, {
      where: file,
      cause,
    });
  });
  if (text === undefined) return undefined;
  const { settings, problems } = parseAgentsFile(text, file);
  if (settings) return settings;
  throw new WiggumError('CONFIG_INVALID', problems.map(describeProblem).join('\n'), {
    where: file,
  });
}
