import path from 'node:path';
import { WiggumError, type ErrorCode } from '../workflows/domain/errors.ts';
import type { Handler, Pipeline, Step } from '../workflows/domain/steps.ts';
import {
  describeProblem,
  type AgentDefinition,
  type DefinitionProblem,
} from './agent-definition.ts';
import { parseAgent, type ParsedAgent } from './agent-file.ts';
import { AGENT_TYPE, typesToTry } from './agent-names.ts';
import { loadAgentsFiles, settingsOf, type AgentsFile } from './agent-settings.ts';
import { builtInAgent, TASK_WORKER } from './built-in-agents.ts';
import {
  agentTypes,
  findAgentFile,
  findPipelineFile,
  PIPELINE_NAME,
  pipelineFiles,
  type DefinitionPlaces,
  type FoundFile,
} from './find-definitions.ts';
import { findIdleParts } from './idle-parts.ts';
import { didYouMean } from './nearest-name.ts';
import { parsePipeline, type ParsedPipeline } from './pipeline-file.ts';
import { findRunNotices, findRunProblems } from './pipeline-rules.ts';
import { loadProjectConfig, mergeConfig, type ProjectConfig } from './project-config.ts';

export type { DefinitionPlaces } from './find-definitions.ts';

/** A pipeline with all of its agents, named as they are called now. */
export interface LoadedRun {
  pipeline: Pipeline;
  /** The file it was read from. */
  source: string;
  /** By type. */
  agents: Record<string, AgentDefinition>;
}

/** Loads one agent; throws with everything that is wrong with it. */
export async function loadAgent(type: string, places: DefinitionPlaces): Promise<AgentDefinition> {
  const settings = await loadAgentsFiles(places.environment);
  const { agent, problems } = await readAgent(type, places, settings);
  if (agent && problems.length === 0) return agent;
  if (problems.length > 0) throw refusal('AGENT_INVALID', problems);
  throw new WiggumError('AGENT_MISSING', await missingAgent(type, places));
}

/** Loads what a task run needs; throws with everything that is wrong with its pipeline and agents. */
export async function loadRun(
  wanted: { taskId: string; pipeline?: string },
  places: DefinitionPlaces,
): Promise<LoadedRun> {
  const found = await findPipelineFile(wanted, places);
  if (!found) {
    const name = wanted.pipeline ?? 'default';
    const files = (await pipelineFiles(places)).map((file) => path.basename(file, '.json'));
    const names = [...new Set(files)].filter((file) => PIPELINE_NAME.test(file)).sort();
    throw new WiggumError(
      'PIPELINE_MISSING',
      `there is no pipeline "${name}"${didYouMean(name, names) || `; there are ${names.join(', ')}`}`,
    );
  }
  const { run, problems, code } = await readRun(found, places);
  if (run) return run;
  throw refusal(code, problems);
}

/** Reads a pipeline file with its agents and finds all that is wrong or worth knowing. */
export async function readRun(
  { file, text }: FoundFile,
  places: DefinitionPlaces,
): Promise<{
  run?: LoadedRun;
  /** Those of its agents that are right, by type. */
  agents: Record<string, AgentDefinition>;
  /** Circles and unreachable steps were looked for: its form and all of its agents are right. */
  isWhole: boolean;
  problems: DefinitionProblem[];
  notices: DefinitionProblem[];
  code: ErrorCode;
}> {
  const parsed = parsePipeline(text, file);
  const settings = await loadAgentsFiles(places.environment);
  const agents: Record<string, AgentDefinition> = {};
  const names = new Map<string, string>();
  const missing: DefinitionProblem[] = [];
  const faulty: DefinitionProblem[] = [];
  const notices: DefinitionProblem[] = [];
  for (const type of new Set(parsed.agents.map((agent) => agent.type))) {
    const read = await readAgent(type, places, settings);
    faulty.push(...read.problems);
    notices.push(...read.notices);
    if (read.agent) {
      agents[read.agent.type] = read.agent;
      names.set(type, read.agent.type);
    } else if (read.problems.length === 0)
      for (const named of parsed.agents.filter((agent) => agent.type === type))
        missing.push(named.problem(await missingAgent(type, places)));
  }
  const config = await settingsInForce(places);
  const misplaced = [...runsAsSteps(parsed), ...(config ? unknownHooks(parsed, config) : [])];
  const pipeline = parsed.pipeline && renameAgents(parsed.pipeline, names);
  const isWhole = pipeline !== undefined && missing.length + faulty.length === 0;
  const { environment } = places;
  const sources = { environment, config: config ?? mergeConfig([]), pipeline: file };
  const between = isWhole ? findRunProblems({ pipeline, agents, sources }) : [];
  const inFile = [...parsed.problems, ...misplaced, ...between];
  const problems = [...inFile, ...missing, ...faulty];
  const code: ErrorCode =
    inFile.length > 0 ? 'PIPELINE_INVALID' : missing.length > 0 ? 'AGENT_MISSING' : 'AGENT_INVALID';
  const found = { agents, isWhole, problems, notices, code };
  if (!pipeline || problems.length > 0) return found;
  notices.push(
    ...findRunNotices({ pipeline, agents, sources }),
    ...findIdleParts({ pipeline, agents, file }),
  );
  return { ...found, run: { pipeline, source: file, agents } };
}

/** Reads an agent's file, or takes the built-in one; neither an agent nor a problem means that there is none. */
export async function readAgent(
  type: string,
  places: DefinitionPlaces,
  settings: readonly AgentsFile[],
): Promise<{
  agent?: AgentDefinition;
  problems: DefinitionProblem[];
  notices: DefinitionProblem[];
}> {
  let found: Awaited<ReturnType<typeof findAgentFile>>;
  try {
    found = await findAgentFile(type, places);
  } catch (cause) {
    if (!(cause instanceof WiggumError)) throw cause;
    return { problems: [{ file: cause.where ?? type, message: cause.message }], notices: [] };
  }
  const { definition, problems, notices } = found ? parseFound(found) : findBuiltIn(type);
  if (!definition) return { problems, notices };
  return {
    agent: { ...definition, settings: settingsOf(definition.type, settings) },
    problems,
    notices,
  };
}

function parseFound({ file, text, type }: FoundFile & { type: string }): ParsedAgent {
  if (!file.endsWith('.md')) {
    const message = 'agents in code are not run yet; write the agent as a markdown file';
    return { problems: [{ file, message }], notices: [] };
  }
  return parseAgent(text, file, type);
}

function findBuiltIn(type: string): ParsedAgent {
  const definition = typesToTry(type).flatMap((name) => builtInAgent(name) ?? [])[0];
  return { ...(definition && { definition }), problems: [], notices: [] };
}

/** Settings that cannot be read are told by whoever starts or checks a run, once, and not for each pipeline. */
async function settingsInForce({
  ralphDir,
  environment,
}: DefinitionPlaces): Promise<ProjectConfig | undefined> {
  return loadProjectConfig(ralphDir, environment).catch((cause: unknown) => {
    if (!(cause instanceof WiggumError)) throw cause;
    return undefined;
  });
}

/** A run inside a run would write the records of the outer one. */
function runsAsSteps({ agents }: ParsedPipeline): DefinitionProblem[] {
  return agents
    .filter(({ type }) => type === TASK_WORKER)
    .map(({ problem }) => problem(`${TASK_WORKER} is the task run itself; it cannot be a step`));
}

/** Calls of hooks that the project's settings do not register. */
function unknownHooks({ hooks }: ParsedPipeline, config: ProjectConfig): DefinitionProblem[] {
  const names = Object.keys(config.hooks.commands);
  return hooks
    .filter(({ name }) => !names.includes(name))
    .map(({ name, problem }) =>
      problem(
        `there is no hook "${name}"${
          didYouMean(name, names) || '; register it in .ralph/config.json under hooks.commands'
        }`,
      ),
    );
}

async function missingAgent(type: string, places: DefinitionPlaces): Promise<string> {
  const types = await agentTypes(places);
  if (!AGENT_TYPE.test(type))
    return `there is no agent "${type}": a type is category.name, in small letters and hyphens (no digits)${didYouMean(type, types)}`;
  return `there is no agent "${type}"${didYouMean(type, types) || `; there are ${types.join(', ')}`}`;
}

/** Old names of agents become today's, so that plans, results and scripts agree on one. */
function renameAgents(pipeline: Pipeline, names: ReadonlyMap<string, string>): Pipeline {
  const rename = (step: Step): Step => ({
    ...step,
    agent: names.get(step.agent) ?? step.agent,
    onResult: Object.fromEntries(
      Object.entries(step.onResult).map(([result, handler]): [string, Handler] => [
        result,
        handler.kind === 'inline' ? { ...handler, step: rename(handler.step) } : handler,
      ]),
    ),
  });
  return { ...pipeline, steps: pipeline.steps.map(rename) };
}

/** Most that an error tells, since it is kept in histories; `validate` tells the rest. */
const MAX_TOLD = 50;

function refusal(code: ErrorCode, problems: readonly DefinitionProblem[]): WiggumError {
  const [first] = problems;
  const told = problems.slice(0, MAX_TOLD).map(describeProblem);
  if (problems.length > MAX_TOLD) told.push(`and ${problems.length - MAX_TOLD} more`);
  return new WiggumError(code, told.join('\n'), { ...(first && { where: first.file }) });
}
