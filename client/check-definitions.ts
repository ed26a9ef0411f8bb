import path from 'node:path';
import type { AgentDefinition, DefinitionProblem } from '../config/agent-definition.ts';
import { parseAgent } from '../config/agent-file.ts';
import { AGENT_TYPE } from '../config/agent-names.ts';
import { findLimitFaults } from '../config/agent-plan.ts';
import { loadAgentsFiles } from '../config/agent-settings.ts';
import { configFilesOf, parseConfigFile } from '../config/config-file.ts';
import {
  agentFolders,
  CODE_AGENTS,
  listFiles,
  PIPELINE_NAME,
  pipelineFiles,
  readDefinition,
  type DefinitionPlaces,
} from '../config/find-definitions.ts';
import { readAgent, readRun } from '../config/load-definitions.ts';
import { packageRoot } from '../config/package-root.ts';
import { WiggumError } from '../workflows/domain/errors.ts';
import { DEFAULT_MAPPINGS } from '../workflows/domain/steps.ts';
import { checkNames } from './check-settings.ts';

export interface DefinitionReport {
  problems: DefinitionProblem[];
  /** Right, and without effect; or nothing that stops a run. */
  notices: DefinitionProblem[];
  checked: Checked;
  /** Pipelines whose circles and unreachable steps can be looked for when their errors are mended. */
  unwalked: string[];
}

/** How many files were looked at. */
export interface Checked {
  pipelines: Origins;
  agents: Origins;
  /** Files of settings. */
  settings: number;
}

/** The project's own, and those that it gets with the program or by WIGGUM_HOME. */
interface Origins {
  own: number;
  installed: number;
}

/** What is known while files are looked at. */
interface Findings extends DefinitionReport {
  /** Agents of pipelines, by type. */
  agents: Map<string, AgentDefinition>;
}

/** Checks every pipeline and agent that a run of this project could use. */
export async function checkDefinitions(places: DefinitionPlaces): Promise<DefinitionReport> {
  const findings: Findings = {
    problems: [],
    notices: [],
    checked: {
      pipelines: { own: 0, installed: 0 },
      agents: { own: 0, installed: 0 },
      settings: 0,
    },
    unwalked: [],
    agents: new Map(),
  };
  for (const check of [checkSettings, checkPipelines, checkAgents, checkVariables])
    await check(places, findings).catch(noteRefusal(findings, places.ralphDir));
  const { checked, unwalked } = findings;
  return {
    problems: distinct(findings.problems),
    notices: distinct(findings.notices),
    checked,
    unwalked,
  };
}

async function checkSettings(places: DefinitionPlaces, findings: Findings): Promise<void> {
  for (const file of configFilesOf(places.ralphDir, places.environment)) {
    const found = await readDefinition(file).catch(noteRefusal(findings, file));
    if (!found) continue;
    const parsed = parseConfigFile(found.text, file);
    const named = await checkNames(parsed, places);
    findings.checked.settings += 1;
    findings.problems.push(...parsed.problems, ...named.problems);
    findings.notices.push(...parsed.notices, ...named.notices);
  }
}

async function checkPipelines(places: DefinitionPlaces, findings: Findings): Promise<void> {
  const { checked, agents } = findings;
  for (const file of await filesToCheck(places)) {
    const found = await readDefinition(file).catch(noteRefusal(findings, file));
    if (!found) continue;
    checked.pipelines[isBelow(places.ralphDir, file) ? 'own' : 'installed'] += 1;
    const read = await readRun(found, places).catch(noteRefusal(findings, file));
    if (!read?.isWhole) findings.unwalked.push(file);
    for (const agent of Object.values(read?.agents ?? {})) agents.set(agent.type, agent);
    findings.problems.push(...(read?.problems ?? []));
    findings.notices.push(...(read?.notices ?? []), ...namelessPipeline(file));
  }
  checked.agents.installed = [...agents.values()].filter(
    ({ mode, source }) => mode !== 'built-in' && !isBelow(places.ralphDir, source),
  ).length;
}

function namelessPipeline(file: string): DefinitionProblem[] {
  if (PIPELINE_NAME.test(path.basename(file, '.json'))) return [];
  const message =
    'cannot be asked for: the name of a pipeline has letters, digits, ".", "_" and "-", and begins with one of the first two';
  return [{ file, message }];
}

/** The project's own, and what the shipped names lead to; an installation may hold others for other uses. */
async function filesToCheck(places: DefinitionPlaces): Promise<string[]> {
  const files = await pipelineFiles(places);
  const own = files.filter((file) => isBelow(places.ralphDir, file));
  const names = files.filter((file) => isBelow(packageRoot(), file));
  const shipped = names.flatMap(
    (name) => files.find((file) => path.basename(file) === path.basename(name)) ?? [],
  );
  return [...new Set([path.join(places.ralphDir, 'pipeline.json'), ...own, ...shipped])];
}

/** The project's own agents, also those that no pipeline names. */
async function checkAgents(places: DefinitionPlaces, findings: Findings): Promise<void> {
  const settings = await loadAgentsFiles(places.environment);
  const [folder = ''] = agentFolders(places);
  for (const file of await listFiles(folder)) {
    const { dir, name, ext } = path.parse(path.relative(folder, file));
    if (ext !== '.md' && !CODE_AGENTS.includes(ext)) continue;
    const type = `${dir}.${name}`;
    if (!AGENT_TYPE.test(type)) {
      findings.notices.push({ file, message: whyNeverLookedAt(dir, name) });
      if (ext === '.md') findings.notices.push(...(await faultsInside(file)));
      continue;
    }
    findings.checked.agents.own += 1;
    const { agent, problems, notices } = await readAgent(type, places, settings);
    if (ext !== '.md' && agent)
      findings.notices.push({ file, message: 'has no effect yet: only the markdown file is read' });
    const isUsed = findings.agents.has(type);
    findings.problems.push(...problems, ...(agent && !isUsed ? undefinedResults(agent) : []));
    findings.notices.push(...notices);
  }
}

function whyNeverLookedAt(dir: string, name: string): string {
  const place = 'an agent lies at <category>/<name>.md, one folder deep';
  const odd = [...(dir.match(/[^a-z]/g) ?? []), ...(name.match(/[^a-z-]/g) ?? [])];
  return dir === '' || dir.includes(path.sep)
    ? `is never looked at: ${place}`
    : `is never looked at for its ${[...new Set(odd)].map((sign) => `"${sign}"`).join(', ')}: ${place}, and both have small letters only, the name also hyphens; no digits`;
}

/** Its type is the place's fault and is told with it. */
async function faultsInside(file: string): Promise<DefinitionProblem[]> {
  const found = await readDefinition(file).catch(() => undefined);
  const problems = found ? parseAgent(found.text, file).problems : [];
  return problems.filter(({ field }) => field !== 'type');
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
  { problems, agents }: Findings,
): Promise<void> {
  for (const agent of agents.values())
    for (const { key, message } of findLimitFaults(agent, environment))
      problems.push({ file: 'environment', field: key, message });
  return Promise.resolve();
}

/** A file that refuses to be read is one problem among others. */
function noteRefusal({ problems }: Findings, file: string) {
  return (cause: unknown): undefined => {
    if (!(cause instanceof WiggumError)) throw cause;
    problems.push({ file: cause.where ?? file, message: cause.message });
  };
}

function isBelow(folder: string, file: string): boolean {
  return !path.relative(folder, file).startsWith('..');
}

function distinct(problems: readonly DefinitionProblem[]): DefinitionProblem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}
