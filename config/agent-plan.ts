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
  const faults = findLimitFaults(definition, sources.environment);
  if (faults.length > 0)
    throw new WiggumError(
      'CONFIG_INVALID',
      faults.map(({ key, message }) => `${ENVIRONMENT}: ${key}: ${message}`).join('\n'),
    );
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

/** Limits of an agent that a variable sets wrongly (checklist 102). */
export function findLimitFaults(
  { type }: LimitedAgent,
  environment: Environment,
): { key: string; message: string }[] {
  return LIMIT_NAMES.flatMap((name) => {
    const given = givenVariable(name, type, environment);
    const message = given && limitFault(name, given.value);
    return given && message !== undefined ? [{ key: given.key, message }] : [];
  });
}

/** Limits that have a variable; the others are a matter of files (checklist 99). */
const VARIABLE_LIMITS: readonly LimitName[] = ['max_iterations', 'max_turns', 'timeout_seconds'];

function givenVariable(
  name: LimitName,
  type: string,
  environment: Environment,
): { key: string; value: unknown } | undefined {
  if (!VARIABLE_LIMITS.includes(name)) return undefined;
  const key = variablesFor(type, name).find((variable) => environment[variable]?.trim());
  if (key === undefined) return undefined;
  const text = environment[key]?.trim() ?? '';
  return { key, value: /^\d+$/.test(text) ? Number(text) : text };
}

function configEntries(type: string, { files }: ProjectConfig): LimitEntry[] {
  return files.flatMap(({ file, values }) =>
    namesOf(type).flatMap((agent) => {
      const limits = own(values.agents ?? {}, agent);
      return limits ? [{ file, key: `agents.${agent}`, limits }] : [];
    }),
  );
}
