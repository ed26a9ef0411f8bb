import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { DefinitionProblem } from '../config/agent-definition.ts';
import { typesToTry } from '../config/agent-names.ts';
import type { ParsedConfig } from '../config/config-file.ts';
import { agentTypes, type DefinitionPlaces } from '../config/find-definitions.ts';
import { findProgram } from '../config/find-program.ts';
import { didYouMean } from '../config/nearest-name.ts';
import { BACKENDS } from '../config/project-config.ts';

/** Finds what a `config.json` of the right form names and nobody has: backend, scenario, agents, programs. */
export async function checkNames(
  parsed: ParsedConfig,
  places: DefinitionPlaces,
): Promise<{ problems: DefinitionProblem[]; notices: DefinitionProblem[] }> {
  const scenario = await missingScenario(parsed, places);
  const isNeeded = parsed.values?.runtime?.backend === 'script';
  return {
    problems: [...unknownBackend(parsed), ...(isNeeded ? scenario : [])],
    notices: [
      ...(isNeeded ? [] : scenario),
      ...(await unknownAgents(parsed, places)),
      ...(await missingPrograms(parsed, places)),
    ],
  };
}

function unknownBackend({ values, problemAt }: ParsedConfig): DefinitionProblem[] {
  const name = values?.runtime?.backend?.trim();
  if (name === undefined || (BACKENDS as readonly string[]).includes(name)) return [];
  const ending = didYouMean(name, BACKENDS) || `; there are ${BACKENDS.join(', ')}`;
  return [problemAt(['runtime', 'backend'], `there is no backend "${name}"${ending}`)];
}

/** Relative to the project, as a run takes it. */
async function missingScenario(
  { values, problemAt }: ParsedConfig,
  { ralphDir }: DefinitionPlaces,
): Promise<DefinitionProblem[]> {
  const script = values?.runtime?.script;
  if (script === undefined) return [];
  const found = await stat(resolve(dirname(ralphDir), script)).catch(() => undefined);
  if (found?.isFile()) return [];
  return [problemAt(['runtime', 'script'], `there is no file "${script}"`)];
}

async function unknownAgents(
  { values, problemAt }: ParsedConfig,
  places: DefinitionPlaces,
): Promise<DefinitionProblem[]> {
  const named = Object.keys(values?.agents ?? {});
  if (named.length === 0) return [];
  const types = await agentTypes(places);
  return named
    .filter((name) => !typesToTry(name).some((type) => types.includes(type)))
    .map((name) => {
      const message = `has no effect: there is no agent "${name}"${didYouMean(name, types)}`;
      return problemAt(['agents', name], message);
    });
}

async function missingPrograms(
  { values, problemAt }: ParsedConfig,
  { ralphDir, environment }: DefinitionPlaces,
): Promise<DefinitionProblem[]> {
  const notices: DefinitionProblem[] = [];
  for (const [name, [program = '']] of Object.entries(values?.hooks?.commands ?? {})) {
    // A path begins in the workspace, which is a copy of the project.
    if (await findProgram(program, environment, dirname(ralphDir))) continue;
    const where = program.includes('/') ? 'in the project' : 'on PATH';
    const message = `there is no program "${program}" ${where}`;
    notices.push(problemAt(['hooks', 'commands', name], message));
  }
  return notices;
}
