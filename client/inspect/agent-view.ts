import { join, relative } from 'node:path';
import type { AgentDefinition, DefinitionProblem } from '../../config/agent-definition.ts';
import { findLimitFaults } from '../../config/agent-plan.ts';
import { loadAgentsFiles, settingsOf } from '../../config/agent-settings.ts';
import { BUILT_IN_AGENTS } from '../../config/built-in-agents.ts';
import {
  agentFolders,
  agentTypes,
  CODE_AGENTS,
  listFiles,
  type DefinitionPlaces,
} from '../../config/find-definitions.ts';
import { readAgent } from '../../config/load-definitions.ts';
import { packageRoot } from '../../config/package-root.ts';
import { loadProjectConfig } from '../../config/project-config.ts';
import { usedVariables, type PromptVariable } from '../../config/prompt-variables.ts';
import { BUILT_IN, ENVIRONMENT } from '../../config/setting.ts';
import { limitsInForce, type LimitsInForce } from './pipeline-view.ts';

/** An agent that can be named, or a file that was meant to be one. */
export interface AgentView {
  type: string;
  origin: 'project' | 'WIGGUM_HOME' | 'shipped' | 'built in';
  /** The file that holds; `built in` when there is none. */
  file: string;
  /** What would hold without it. */
  overrides: string[];
  /** Absent when the file has faults. */
  definition?: Omit<AgentDefinition, 'settings' | 'source' | 'type'>;
  limits?: LimitsInForce;
  /** Variables in its prompts. */
  variables?: PromptVariable[];
  problems: DefinitionProblem[];
}

/** Looks at every agent that a pipeline of this project could name, or at those that are asked for. */
export async function agentViews(
  places: DefinitionPlaces,
  types?: readonly string[],
): Promise<AgentView[]> {
  const config = await loadProjectConfig(places.ralphDir, places.environment);
  const settings = await loadAgentsFiles(places.environment);
  const files = await filesByType(places);
  const sources = { environment: places.environment, config };
  const look = async (type: string): Promise<AgentView> => {
    const [file = BUILT_IN, ...overrides] = files.get(type) ?? [];
    const { agent, problems } = await readAgent(type, places, settings);
    const faults = findLimitFaults(
      { type, settings: settingsOf(type, settings) },
      sources.environment,
    );
    const found: AgentView = {
      type,
      origin: originOf(file, places),
      file,
      overrides,
      problems: [
        ...problems,
        ...faults.map(({ key, message }) => ({ file: ENVIRONMENT, field: key, message })),
      ],
    };
    if (!agent || found.problems.length > 0) return found;
    const { type: _type, settings: _settings, source: _source, ...definition } = agent;
    const prompts = [agent.systemPrompt, agent.userPrompt, agent.continuationPrompt ?? ''];
    return {
      ...found,
      definition,
      limits: limitsInForce(agent, undefined, sources),
      variables: usedVariables(prompts.join('\n')),
    };
  };
  return Promise.all((types ?? (await agentTypes(places))).map(look));
}

/** The files of each agent, the one that holds first; a built-in agent stands behind them. */
async function filesByType(places: DefinitionPlaces): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const folder of agentFolders(places))
    for (const file of await listFiles(folder)) {
      const ending = ['.md', ...CODE_AGENTS].find((one) => file.endsWith(one));
      if (ending === undefined) continue;
      const type = relative(folder, file).slice(0, -ending.length).replaceAll('/', '.');
      const known = found.get(type) ?? [];
      // Of one folder only the first kind counts.
      if (!known.some((other) => other.startsWith(join(folder, '/')))) known.push(file);
      found.set(type, known);
    }
  for (const type of Object.keys(BUILT_IN_AGENTS))
    found.set(type, [...(found.get(type) ?? []), BUILT_IN]);
  return found;
}

function originOf(file: string, { ralphDir }: DefinitionPlaces): AgentView['origin'] {
  if (file === BUILT_IN) return 'built in';
  const isIn = (folder: string) => !relative(folder, file).startsWith('..');
  return isIn(ralphDir) ? 'project' : isIn(packageRoot()) ? 'shipped' : 'WIGGUM_HOME';
}
