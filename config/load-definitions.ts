import path from 'node:path';
import { WiggumError, type ErrorCode } from '../workflows/domain/errors.ts';
import type { Handler, Pipeline, Step } from '../workflows/domain/steps.ts';
import {
  describeProblem,
  type AgentDefinition,
  type DefinitionProblem,
} from './agent-definition.ts';
import { parseAgent } from './agent-file.ts';
import { loadAgentsFiles, settingsOf, type AgentsFile } from './agent-settings.ts';
import {
  agentTypes,
  findAgentFile,
  findPipelineFile,
  pipelineFiles,
  type DefinitionPlaces,
  type FoundFile,
} from './find-definitions.ts';
import { didYouMean } from './nearest-name.ts';
import { parsePipeline } from './pipeline-file.ts';
import { findRunNotices, findRunProblems } from './pipeline-rules.ts';

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
    const files = await pipelineFiles(places);
    const names = [...new Set(files.map((file) => path.basename(file, '.json')))].sort();
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
  const notices = [...parsed.notices];
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
  const pipeline = parsed.pipeline && renameAgents(parsed.pipeline, names);
  const isWhole = pipeline && missing.length + faulty.length === 0;
  const between = isWhole ? findRunProblems(pipeline, agents, file) : [];
  const problems = [...parsed.problems, ...between, ...missing, ...faulty];
  const code =
    parsed.problems.length + between.length > 0
      ? 'PIPELINE_INVALID'
      : missing.length > 0
        ? 'AGENT_MISSING'
        : 'AGENT_INVALID';
  if (!pipeline || problems.length > 0) return { problems, notices, code };
  notices.push(...findRunNotices(pipeline, agents, file));
  return { run: { pipeline, source: file, agents }, problems, notices, code };
}

/** Reads an agent's file; neither an agent nor a problem means that there is none. */
export async function readAgent(
  type: string,
  places: DefinitionPlaces,
  settings: readonly AgentsFile[],
): Promise<{
  agent?: AgentDefinition;
  problems: DefinitionProblem[];
  notices: DefinitionProblem[];
}> {
  const found = await findAgentFile(type, places);
  if (!found) return { problems: [], notices: [] };
  const { file } = found;
  if (!file.endsWith('.md')) {
    const message = 'agents in code are not run yet; write the agent as a markdown file';
    return { problems: [{ file, message }], notices: [] };
  }
  const { definition, problems, notices } = parseAgent(found.text, file);
  if (!definition) return { problems, notices };
  if (definition.type !== found.type) {
    const message = `is "${definition.type}", and the file's place makes it ${found.type}`;
    return { problems: [{ file, field: 'type', message }], notices };
  }
  return {
    agent: { ...definition, settings: settingsOf(definition.type, settings) },
    problems,
    notices,
  };
}

async function missingAgent(type: string, places: DefinitionPlaces): Promise<string> {
  const types = await agentTypes(places);
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

function refusal(code: ErrorCode, problems: readonly DefinitionProblem[]): WiggumError {
  const [first] = problems;
  return new WiggumError(code, problems.map(describeProblem).join('\n'), {
    ...(first && { where: first.file }),
  });
}
