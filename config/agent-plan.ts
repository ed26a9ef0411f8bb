import type { AgentPlan } from '../workflows/domain/agent.ts';
import { WiggumError } from '../workflows/domain/errors.ts';
import { own, type Answers, type Step } from '../workflows/domain/steps.ts';
import type { AgentDefinition, LimitEntry } from './agent-definition.ts';
import {
  BUILT_IN_LIMITS,
  LIMIT_NAMES,
  limitFault,
  type LimitName,
  type LimitValue,
} from './agent-limits.ts';
import { namesOf, variablesFor } from './agent-names.ts';
import type { ProjectConfig } from './project-config.ts';
import { BUILT_IN, ENVIRONMENT, inForce, type Level } from './setting.ts';
import type { Environment } from './state-dir.ts';

/** What decides a plan beside the agent's file and the step. */
export interface PlanSources {
  /** Variables of the command that started the run. */
  environment: Environment;
  config: ProjectConfig;
  /** File of the pipeline that the step is in. */
  pipeline?: string;
}

/** What must be known of an agent to find its limits. */
export type LimitedAgent = Pick<AgentDefinition, 'type' | 'settings'> &
  Partial<Pick<AgentDefinition, 'supervisorInterval' | 'source'>>;

/** How an agent is driven at a step. */
export function planOf(definition: AgentDefinition, step: Step, sources: PlanSources): AgentPlan {
  refuse(findLimitFaults(definition, sources.environment));
  const limit = <Name extends LimitName>(name: Name): LimitValue<Name> =>
    inForce(limitLevels(name, { agent: definition, step }, sources)) ?? BUILT_IN_LIMITS[name];
  return {
    ...answersOf(definition, step, sources),
    type: definition.type,
    mode: definition.mode,
    completion: definition.completionCheck.kind,
    maxIterations: limit('max_iterations'),
    maxTurns: limit('max_turns'),
    timeoutSeconds: limit('timeout_seconds'),
    supervisorInterval: limit('supervisor_interval'),
    maxRestarts: limit('max_restarts'),
    outputs: definition.outputs,
  };
}

/** What an agent can answer at a step. */
export function answersOf(
  definition: AgentDefinition,
  step: Step,
  sources: PlanSources,
): Pick<AgentPlan, keyof Answers> {
  const levels = limitLevels('auto_commit', { agent: definition, step }, sources);
  return {
    readonly: definition.readonly || step.readonly,
    validResults: definition.validResults,
    resultMappings: definition.settings.resultMappings,
    autoCommit: inForce(levels) ?? BUILT_IN_LIMITS.auto_commit,
  };
}

/**
 * All that is said of a limit, the strongest first: environment, step, settings of the project and of
 * WIGGUM_HOME, agents.json (agent, then defaults), built in (checklist 98). How often a supervisor
 * looks is part of the agent's own file, which stands over what agents.json says of all agents.
 */
export function limitLevels<Name extends LimitName>(
  name: Name,
  { agent, step }: { agent: LimitedAgent; step?: Step | undefined },
  { environment, config, pipeline = 'pipeline' }: PlanSources,
): Level<LimitValue<Name>>[] {
  const at = (source: string, key: string, value: unknown): Level<LimitValue<Name>>[] =>
    // Files are checked when they are read, variables before they are used.
    value === undefined ? [] : [{ source, key, value: value as LimitValue<Name> }];
  const inFile = (entries: readonly LimitEntry[] = []) =>
    entries.flatMap(({ file, key, limits }) => at(file, `${key}.${name}`, limits[name]));
  const variable = givenVariable(name, agent.type, environment);
  return [
    ...(variable ? at(ENVIRONMENT, variable.key, variable.value) : []),
    ...(step ? at(pipeline, `step ${step.id}: config.${name}`, step.config[name]) : []),
    ...(step && name === 'timeout_seconds'
      ? at(pipeline, `step ${step.id}: timeout_seconds`, step.timeoutSeconds)
      : []),
    ...inFile(configEntries(agent.type, config)),
    ...inFile(agent.settings.own),
    ...(name === 'supervisor_interval'
      ? at(agent.source ?? agent.type, name, agent.supervisorInterval)
      : []),
    ...inFile(agent.settings.defaults),
    ...at(BUILT_IN, name, BUILT_IN_LIMITS[name]),
  ];
}

interface LimitFault {
  /** Name of the variable. */
  key: string;
  message: string;
}

/** Limits of an agent that a variable sets wrongly (checklist 102). */
export function findLimitFaults({ type }: LimitedAgent, environment: Environment): LimitFault[] {
  return LIMIT_NAMES.flatMap((name) => {
    const given = givenVariable(name, type, environment);
    const message = given && limitFault(name, given.value);
    return given && message !== undefined ? [{ key: given.key, message }] : [];
  });
}

/** Refuses variables that set a limit wrongly, also of agents that nobody knows yet (checklist 99, 102). */
export function refuseWrongLimits(environment: Environment): void {
  const faults = Object.keys(environment).flatMap((key): LimitFault[] => {
    const name = limitOfVariable(key);
    const given = environment[key]?.trim();
    const message = name && given ? limitFault(name, valueIn(given)) : undefined;
    return message === undefined ? [] : [{ key, message }];
  });
  refuse(faults);
}

/** The limit that a variable of this name sets for some agent. */
export function limitOfVariable(key: string): LimitName | undefined {
  const [, name] = /^WIGGUM_\w+?_(MAX_ITERATIONS|MAX_TURNS|TIMEOUT_SECONDS)$/.exec(key) ?? [];
  return VARIABLE_LIMITS.find((limit) => limit.toUpperCase() === name);
}

/** Limits that have a variable; the others are a matter of files (checklist 99). */
const VARIABLE_LIMITS: readonly LimitName[] = ['max_iterations', 'max_turns', 'timeout_seconds'];

function refuse(faults: readonly LimitFault[]): void {
  if (faults.length === 0) return;
  const lines = faults.map(({ key, message }) => `${ENVIRONMENT}: ${key}: ${message}`);
  throw new WiggumError('CONFIG_INVALID', lines.join('\n'));
}

function givenVariable(
  name: LimitName,
  type: string,
  environment: Environment,
): { key: string; value: unknown } | undefined {
  if (!VARIABLE_LIMITS.includes(name)) return undefined;
  const key = variablesFor(type, name).find((variable) => environment[variable]?.trim());
  if (key === undefined) return undefined;
  return { key, value: valueIn(environment[key]?.trim() ?? '') };
}

function valueIn(text: string): unknown {
  return /^\d+$/.test(text) ? Number(text) : text;
}

function configEntries(type: string, { files }: ProjectConfig): LimitEntry[] {
  return files.flatMap(({ file, values }) =>
    namesOf(type).flatMap((agent) => {
      const limits = own(values.agents ?? {}, agent);
      return limits ? [{ file, key: `agents.${agent}`, limits }] : [];
    }),
  );
}
