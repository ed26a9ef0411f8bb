import path from 'node:path';
import { z } from 'zod';
import { WiggumError } from '../workflows/domain/errors.ts';
import { own } from '../workflows/domain/steps.ts';
import {
  describeProblem,
  type AgentSettings,
  type DefinitionProblem,
  type LimitEntry,
} from './agent-definition.ts';
import { agentName, limitFields } from './agent-limits.ts';
import { namesOf } from './agent-names.ts';
import { globalFolders } from './global-folder.ts';
import { readJson, schemaProblems } from './json-lines.ts';
import { packageRoot } from './package-root.ts';
import { readText } from './read-text.ts';
import { MAPPING_KEYS, resultMappings } from './result-mappings.ts';
import type { Environment } from './state-dir.ts';

const entry = z.strictObject({ ...limitFields, result_mappings: resultMappings.default({}) });
const fileSchema = z.strictObject({
  $schema: z.string().optional(),
  agents: z.record(agentName, entry).default({}),
  defaults: entry.optional(),
});

/** The file as it is written, for the schema that editors read. */
export const AGENTS_FORM = fileSchema;

/** Limits and result mappings of every agent, as one `agents.json` has them. */
export interface AgentsFile extends z.infer<typeof fileSchema> {
  file: string;
}

/** Reads an `agents.json`; all of its problems are found at once. */
export function parseAgentsFile(
  text: string,
  source: string,
): { settings?: AgentsFile; problems: DefinitionProblem[] } {
  const json = readJson(text, source);
  if (json.value === undefined) return { problems: json.problems };
  const read = fileSchema.safeParse(json.value);
  const known = [...Object.keys(entry.shape), ...MAPPING_KEYS, 'agents', 'defaults'];
  const problems = [
    ...json.problems,
    ...schemaProblems(json, read.error?.issues ?? [], () => known),
  ];
  return read.success && problems.length === 0
    ? { settings: { ...read.data, file: source }, problems }
    : { problems };
}

/** The files that hold, the strongest first: of the installation that WIGGUM_HOME names, then ours. */
export async function loadAgentsFiles(environment: Environment): Promise<AgentsFile[]> {
  const files = [...globalFolders(environment), packageRoot()].map((folder) =>
    path.join(folder, 'config', 'agents.json'),
  );
  const read = await Promise.all(files.map(readAgentsFile));
  return read.filter((file) => file !== undefined);
}

/** What the files say of one agent, under any of its names, and of all agents. */
export function settingsOf(type: string, files: readonly AgentsFile[]): AgentSettings {
  const entries = files.flatMap(({ file, agents }) =>
    namesOf(type).flatMap((name) => {
      const given = own(agents, name);
      return given ? [{ file, key: `agents.${name}`, ...split(given) }] : [];
    }),
  );
  const defaults = files.flatMap(({ file, defaults: given }) =>
    given ? [{ file, key: 'defaults', ...split(given) }] : [],
  );
  const limitsOf = ({ file, key, limits }: LimitEntry): LimitEntry => ({ file, key, limits });
  return {
    own: entries.map(limitsOf),
    defaults: defaults.map(limitsOf),
    resultMappings: Object.assign(
      {},
      ...[...entries, ...defaults].toReversed().map(({ mappings }) => mappings),
    ) as AgentSettings['resultMappings'],
  };
}

function split({ result_mappings: mappings, ...limits }: z.infer<typeof entry>) {
  return { mappings, limits };
}

async function readAgentsFile(file: string): Promise<AgentsFile | undefined> {
  const text = await readText(file);
  if (text === undefined) return undefined;
  const { settings, problems } = parseAgentsFile(text, file);
  if (settings) return settings;
  throw new WiggumError('CONFIG_INVALID', problems.map(describeProblem).join('\n'), {
    where: file,
  });
}
