import { WiggumError } from '../workflows/domain/errors.ts';
import { unitKey, unitsOf, type Step } from '../workflows/domain/steps.ts';
import { LIMIT_NAMES, type LimitName } from './agent-limits.ts';
import { typesToTry } from './agent-names.ts';
import { findLimitFaults, limitLevels, type LimitedAgent } from './agent-plan.ts';
import { loadAgentsFiles, settingsOf, type AgentsFile } from './agent-settings.ts';
import { CONFIG_KEYS, configKeys, isReadKey } from './config-levels.ts';
import { agentTypes } from './find-definitions.ts';
import { loadRun, readAgent, type DefinitionPlaces } from './load-definitions.ts';
import { didYouMean } from './nearest-name.ts';
import {
  costLimitLevels,
  loadProjectConfig,
  settingLevels,
  type ProjectConfig,
} from './project-config.ts';
import { ENVIRONMENT, type Setting } from './setting.ts';

/** A setting, and whether anything looks at it: files of the original carry keys that we do not read. */
export interface ExplainedSetting extends Setting {
  isRead: boolean;
}

/** For which task, pipeline and step one wants to know. */
export interface SettingContext {
  task?: string | undefined;
  pipeline?: string | undefined;
  step?: string | undefined;
}

/** Explains one key, or everything below it; a key that nobody knows is refused with a suggestion. */
export async function explainSetting(
  key: string,
  context: SettingContext,
  places: DefinitionPlaces,
): Promise<ExplainedSetting[]> {
  const world = await lookAround(context, places);
  const keys = keysOf(world);
  const name = todaysKey(key, world);
  refuseOtherAgent(name, world);
  const below = keys.filter((other) => other.startsWith(`${name}.`));
  if (below.length > 0) return Promise.all(below.map((one) => explain(one, world)));
  if (keys.includes(name) || isReadKey(name)) return [await explain(name, world)];
  throw new WiggumError(
    'USAGE',
    `There is no setting "${key}"${didYouMean(key, keys) || '; `wiggum config` lists them all.'}`,
  );
}

/** Explains every setting that has a value. */
export async function listSettings(
  context: SettingContext,
  places: DefinitionPlaces,
): Promise<ExplainedSetting[]> {
  const world = await lookAround(context, places);
  const keys = keysOf(world);
  const leaves = keys.filter((key) => !keys.some((other) => other.startsWith(`${key}.`)));
  return Promise.all(leaves.map((key) => explain(key, world)));
}

/** All that decides settings, read once. */
interface World {
  places: DefinitionPlaces;
  config: ProjectConfig;
  /** Agents that have a file or an entry somewhere, under today's names. */
  types: readonly string[];
  agentOf(type: string): Promise<LimitedAgent>;
  run?: { pipeline: { costLimitUsd?: number }; source: string; step?: Step };
}

async function lookAround(context: SettingContext, places: DefinitionPlaces): Promise<World> {
  const config = await loadProjectConfig(places.ralphDir, places.environment);
  const agentsFiles = await loadAgentsFiles(places.environment);
  const found = await agentTypes(places);
  const named = [...agentsFiles, config].flatMap(({ agents }) => Object.keys(agents ?? {}));
  const types = [...found, ...named.map((type) => todaysName(type, found))];
  const isAsked = Object.values(context).some((value) => value !== undefined);
  return {
    places,
    config,
    types: [...new Set(types)].sort(),
    agentOf: agentReader(places, agentsFiles),
    ...(isAsked && { run: await runOf(context, places) }),
  };
}

/** Reads each agent once; one without a file that can be used has its entries all the same. */
function agentReader(places: DefinitionPlaces, files: readonly AgentsFile[]): World['agentOf'] {
  const known = new Map<string, Promise<LimitedAgent>>();
  const read = async (type: string): Promise<LimitedAgent> =>
    (await readAgent(type, places, files)).agent ?? { type, settings: settingsOf(type, files) };
  return (type) => {
    const agent = known.get(type) ?? read(type);
    known.set(type, agent);
    return agent;
  };
}

async function runOf(
  { task = '', pipeline: wanted, step: place }: SettingContext,
  places: DefinitionPlaces,
): Promise<NonNullable<World['run']>> {
  const name = wanted ?? (places.environment['WIGGUM_PIPELINE'] || undefined);
  const { pipeline, source } = await loadRun(
    { taskId: task, ...(name !== undefined && { pipeline: name }) },
    places,
  );
  if (place === undefined) return { pipeline, source };
  const units = unitsOf(pipeline);
  const unit = units.find(({ path }) => unitKey(path) === place || path.at(-1) === place);
  if (unit) return { pipeline, source, step: unit.step };
  const known = units.map(({ path }) => unitKey(path));
  throw new WiggumError(
    'USAGE',
    `The pipeline ${pipeline.name} has no step "${place}"; it has ${known.join(', ')}.`,
  );
}

function keysOf({ config, places: { environment }, types }: World): string[] {
  const given = configKeys({ environment, files: config.files });
  const limits = types.flatMap((type) => LIMIT_NAMES.map((name) => `agents.${type}.${name}`));
  // A limit under an old name of its agent is one of the levels of today's name.
  const others = [...given, ...CONFIG_KEYS].filter((key) => limitKey(key) === undefined);
  return [...new Set([...others.sort(), ...limits])];
}

async function explain(key: string, world: World): Promise<ExplainedSetting> {
  const { config, places, run } = world;
  const sources = { environment: places.environment, config };
  const limit = limitKey(key);
  if (limit) return { key, levels: await agentLevels(limit, world), isRead: true };
  const levels =
    key === 'cost_limit' ? costLimitLevels({ ...sources, ...run }) : settingLevels(key, sources);
  return { key, levels, isRead: isReadKey(key) };
}

async function agentLevels({ type, name }: { type: string; name: LimitName }, world: World) {
  const { config, run } = world;
  const { environment } = world.places;
  const agent = await world.agentOf(type);
  const [fault] = findLimitFaults(agent, environment);
  if (fault)
    throw new WiggumError('CONFIG_INVALID', `${ENVIRONMENT}: ${fault.key}: ${fault.message}`);
  // A step decides for the agent that it runs, and for no other: the list has all of them.
  const step = run?.step?.agent === type ? run.step : undefined;
  return limitLevels(
    name,
    { agent, step },
    { environment, config, ...(run && { pipeline: run.source }) },
  );
}

function refuseOtherAgent(key: string, { run }: World): void {
  const type = limitKey(key)?.type;
  if (!run?.step || type === undefined || type === run.step.agent) return;
  throw new WiggumError('USAGE', `Step ${run.step.id} runs ${run.step.agent}, not ${type}.`);
}

function limitKey(key: string): { type: string; name: LimitName } | undefined {
  const [, type, name] = /^agents\.(.+)\.([a-z_]+)$/.exec(key) ?? [];
  const limit = LIMIT_NAMES.find((known) => known === name);
  return type !== undefined && limit ? { type, name: limit } : undefined;
}

function todaysKey(key: string, { types }: World): string {
  const limit = limitKey(key);
  return limit ? `agents.${todaysName(limit.type, types)}.${limit.name}` : key;
}

function todaysName(type: string, types: readonly string[]): string {
  return types.includes(type) ? type : (typesToTry(type).at(-1) ?? type);
}
