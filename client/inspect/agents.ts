import { typesToTry } from '../../config/agent-names.ts';
import { agentTypes, type DefinitionPlaces } from '../../config/find-definitions.ts';
import { loadAgent } from '../../config/load-definitions.ts';
import { packageRoot } from '../../config/package-root.ts';
import { ExitCode } from '../../workflows/domain/errors.ts';
import type { CommandContext } from '../command.ts';
import { initialisedProject } from '../initialised-project.ts';
import { agentLines, agentTable } from '../render/agents.ts';
import { widthOfOutput } from '../render/width.ts';
import { agentViews } from './agent-view.ts';

/** Shows all agents that could be named, or everything about one. */
export async function inspectAgents(
  { type, json }: { type: string | undefined; json: boolean },
  { cwd, environment, stdout }: CommandContext,
): Promise<number> {
  const { ralphDir } = await initialisedProject(cwd);
  const places = { ralphDir, environment };
  const drawing = { cwd, shipped: packageRoot(), columns: widthOfOutput(stdout) };
  const print = (value: object, lines: string[]) =>
    stdout.write(`${json ? JSON.stringify(value) : lines.join('\n')}\n`);
  if (type === undefined) {
    const agents = await agentViews(places);
    print({ agents }, agentTable(agents, drawing));
    return ExitCode.ok;
  }
  const [agent] = await agentViews(places, [await todaysType(type, places)]);
  if (agent) print(agent, agentLines(agent, drawing));
  return agent?.definition ? ExitCode.ok : ExitCode.configuration;
}

/** The name that an agent has now; one that nobody knows is refused with a suggestion. */
async function todaysType(type: string, places: DefinitionPlaces): Promise<string> {
  const types = await agentTypes(places);
  const found = typesToTry(type).find((name) => types.includes(name));
  return found ?? (await loadAgent(type, places)).type;
}
