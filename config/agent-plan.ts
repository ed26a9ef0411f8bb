import type { AgentPlan } from '../workflows/domain/agent.ts';
import { WiggumError } from '../workflows/domain/errors.ts';
import { own, type Step } from '../workflows/domain/steps.ts';
import type { AgentDefinition } from './agent-definition.ts';
import { LIMITS, LIMIT_NAMES, limitFault, type LimitName } from './agent-limits.ts';
import { namesOf, variablesFor } from './agent-names.ts';
import type { ProjectConfig } from './project-config.ts';
import type { Environment } from './state-dir.ts';

/** What decides a plan beside the agent's file and the pipeline. */
export interface PlanSources {
  /** Variables of the command that started the run. */
  environment: Environment;
  config: ProjectConfig;
}

/** A limit that cannot be used, and where it was set. */
export interface LimitFault {
  source: 'environment' | '.ralph/config.json';
  /** Name of the variable, or key in the file. */
  key: string;
  message: string;
}

/** How an agent is driven at a step: environment, step, project, agents.json, then what is built in. */
export function planOf(definition: AgentDefinition, step: Step, sources: PlanSources): AgentPlan {
  const faults = findLimitFaults(definition, sources);
  if (faults.length > 0)
    throw new WiggumError(
      'CONFIG_INVALID',
      faults.map(({ source, key, message }) => `${source}: ${key}: ${message}`).join('\n'),
    );
  const limit = (name: LimitName): number =>
    outerLimit(name, definition.type, sources.environment)?.value ??
    (step.config[name] as number | undefined) ??
    (name === 'timeout_seconds' ? step.timeoutSeconds : undefined) ??
    projectLimit(name, definition.type, sources.config)?.value ??
    settingOf(definition, name) ??
    LIMITS[name].builtIn;
  return {
    type: definition.type,
    mode: definition.mode,
    readonly: definition.readonly || step.readonly,
    completion: definition.completionCheck.kind,
    validResults: definition.validResults,
    resultMappings: definition.settings.resultMappings,
    maxIterations: limit('max_iterations'),
    maxTurns: limit('max_turns'),
    timeoutSeconds: limit('timeout_seconds'),
  };
}

/** All limits of an agent that the environment or the project sets wrongly (checklist 102). */
export function findLimitFaults(
  { type }: AgentDefinition,
  { environment, config }: PlanSources,
): LimitFault[] {
  return LIMIT_NAMES.flatMap((name) => {
    const given = [
      { source: 'environment' as const, ...outerLimit(name, type, environment) },
      { source: '.ralph/config.json' as const, ...projectLimit(name, type, config) },
    ];
    return given.flatMap(({ source, key, value, found }) => {
      const message = value === undefined ? undefined : limitFault(name, value, found);
      return message === undefined || key === undefined ? [] : [{ source, key, message }];
    });
  });
}

interface GivenLimit {
  key: string;
  value: number;
  /** As it stands there. */
  found: unknown;
}

function outerLimit(
  name: LimitName,
  type: string,
  environment: Environment,
): GivenLimit | undefined {
  const key = variablesFor(type, name).find((variable) => environment[variable]?.trim());
  if (key === undefined) return undefined;
  const found = environment[key]?.trim() ?? '';
  return { key, value: /^\d+$/.test(found) ? Number(found) : NaN, found };
}

function projectLimit(
  name: LimitName,
  type: string,
  { agents }: ProjectConfig,
): GivenLimit | undefined {
  const agent = namesOf(type).find((key) => own(agents, key)?.[name] !== undefined);
  const value = agent === undefined ? undefined : own(agents, agent)?.[name];
  return value === undefined ? undefined : { key: `agents.${agent}.${name}`, value, found: value };
}

function settingOf({ settings }: AgentDefinition, name: LimitName): number | undefined {
  switch (name) {
    case 'max_iterations':
      return settings.maxIterations;
    case 'max_turns':
      return settings.maxTurns;
    case 'timeout_seconds':
      return settings.timeoutSeconds;
  }
}
