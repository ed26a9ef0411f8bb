import path from 'node:path';
import type { AgentDefinition, DefinitionProblem } from '../config/agent-definition.ts';
import { AGENT_TYPE } from '../config/agent-names.ts';
import { findLimitFaults } from '../config/agent-plan.ts';
import { loadAgentsFiles } from '../config/agent-settings.ts';
import { configFilesOf, parseConfigFile } from '../config/config-file.ts';
import {
  agentFolders,
  CODE_AGENTS,
  listFiles,
  pipelineFiles,
  readDefinition,
  type DefinitionPlaces,
} from '../config/find-definitions.ts';
import { readAgent, readRun, type LoadedRun } from '../config/load-definitions.ts';
import { packageRoot } from '../config/package-root.ts';
import { WiggumError } from '../workflows/domain/errors.ts';
import { DEFAULT_MAPPINGS } from '../workflows/domain/steps.ts';

export interface DefinitionReport {
  problems: DefinitionProblem[];
  /** Right, and without effect; or nothing that stops a run. */
  notices: DefinitionProblem[];
}

/** Checks every pipeline and agent that a run of this project could use. */
export async function checkDefinitions(places: DefinitionPlaces): Promise<DefinitionReport> {
  const report: DefinitionReport = { problems: [], notices: [] };
  const runs: LoadedRun[] = [];
  for (const check of [checkSettings, checkPipelines, checkAgents, checkVariables])
    await check(places, report, runs).catch(noteRefusal(report, places.ralphDir));
  return { problems: distinct(report.problems), notices: distinct(report.notices) };
}

async function checkSettings(
  { ralphDir, environment }: DefinitionPlaces,
  report: DefinitionReport,
): Promise<void> {
  for (const file of configFilesOf(ralphDir, environment)) {
    const found = await readDefinition(file).catch(noteRefusal(report, file));
    const { problems, notices } = found
      ? parseConfigFile(found.text, file)
      : { problems: [], notices: [] };
    report.problems.push(...problems);
    report.notices.push(...notices);
  }
}

async function checkPipelines(
  places: DefinitionPlaces,
  report: DefinitionReport,
  runs: LoadedRun[],
): Promise<void> {
  for (const file of await filesToCheck(places)) {
    const found = await readDefinition(file).catch(noteRefusal(report, file));
    const read = found && (await readRun(found, places).catch(noteRefusal(report, file)));
    if (read?.run) runs.push(read.run);
    report.problems.push(...(read?.problems ?? []));
    report.notices.push(...(read?.notices ?? []));
  }
}

/** The project's own, and what the shipped names lead to; an installation may hold others for other uses. */
async function filesToCheck(places: DefinitionPlaces): Promise<string[]> {
  const files = await pipelineFiles(places);
  const own = files.filter((file) => !path.relative(places.ralphDir, file).startsWith('..'));
  const names = files.filter((file) => !path.relative(packageRoot(), file).startsWith('..'));
  const shipped = names.flatMap(
    (name) => files.find((file) => path.basename(file) === path.basename(name)) ?? [],
  );
  return [...new Set([path.join(places.ralphDir, 'pipeline.json'), ...own, ...shipped])];
}

/** The project's own agents, also those that no pipeline names. */
async function checkAgents(
  places: DefinitionPlaces,
  report: DefinitionReport,
  runs: readonly LoadedRun[],
): Promise<void> {
  const settings = await loadAgentsFiles(places.environment);
  const used = new Set(runs.flatMap(({ agents }) => Object.keys(agents)));
  const [folder = ''] = agentFolders(places);
  for (const file of await listFiles(folder)) {
    const { dir, name, ext } = path.parse(path.relative(folder, file));
    if (ext !== '.md' && !CODE_AGENTS.includes(ext)) continue;
    const type = `${dir}.${name}`;
    if (!AGENT_TYPE.test(type)) {
      const message = 'is never looked at: an agent lies at <category>/<name>.md, in small letters';
      report.notices.push({ file, message });
      continue;
    }
    const { agent, problems, notices } = await readAgent(type, places, settings);
    if (ext !== '.md' && agent)
      report.notices.push({ file, message: 'has no effect yet: only the markdown file is read' });
    report.problems.push(...problems, ...(agent && !used.has(type) ? undefinedResults(agent) : []));
    report.notices.push(...notices);
  }
}

/** Nobody handles the results of an agent that no pipeline names; they must be mapped (checklist 67). */
function undefinedResults({ validResults, settings, source }: AgentDefinition) {
  return validResults
    .filter((result) => !Object.hasOwn({ ...DEFAULT_MAPPINGS, ...settings.resultMappings }, result))
    .map((result) => ({
      file: source,
      field: 'valid_results',
      message: `${result} is neither PASS, FAIL, FIX or SKIP, nor mapped, and no pipeline handles it`,
    }));
}

/** Limits that variables give to the agents in use. */
function checkVariables(
  { environment }: DefinitionPlaces,
  { problems }: DefinitionReport,
  runs: readonly LoadedRun[],
): Promise<void> {
  for (const agent of runs.flatMap(({ agents }) => Object.values(agents)))
    for (const { key, message } of findLimitFaults(agent, environment))
      problems.push({ file: 'environment', field: key, message });
  return Promise.resolve();
}

/** A file that refuses to be read is one problem among others. */
function noteRefusal({ problems }: DefinitionReport, file: string) {
  return (cause: unknown): undefined => {
    if (!(cause instanceof WiggumError)) throw cause;
    problems.push({ file: cause.where ?? file, message: cause.message });
  };
}

function distinct(problems: readonly DefinitionProblem[]): DefinitionProblem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}
