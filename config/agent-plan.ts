import type { AgentPlan } from '../workflows/domain/agent.ts';
import { WiggumError } from '../workflows/domain/errors.ts';
import { own, type Step } from '../workflows/domain/steps.ts';
import type { AgentDefinition } from './agent-definition.ts';
import { LIMITS, limitFault, type LimitName } from './agent-limits.ts';
import { namesOf, variablesFor } from './agent-names.ts';
import type { ProjectConfig } from './project-config.ts';
import type { Environment } from './state-dir.ts';

/** What decides a plan beside the agent's file and the pipeline. */
export interface PlanSources {
  /** Variables of the command that started the run. */
  environment: Environment;
  config: ProjectConfig;
}

/** How an agent is driven at a step: environment, step, project, agents.json, then what is built in. */
export function planOf(definition: AgentDefinition, step: Step, sources: PlanSources): AgentPlan {
  const limit = (name: LimitName) => limitOf(name, definition, step, sources);
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

function limitOf(
  name: LimitName,
  { type, settings }: AgentDefinition,
  step: Step,
  { environment, config }: PlanSources,
): number {
  return (
    fromEnvironment(name, type, environment) ??
    (step.config[name] as number | undefined) ??
    (name === 'timeout_seconds' ? step.timeoutSeconds : undefined) ??
    fromProject(name, type, config) ??
    {
      max_iterations: settings.maxIterations,
      max_turns: settings.maxTurns,
      timeout_seconds: settings.timeoutSeconds,
    }[name] ??
    LIMITS[name].builtIn
  );
}

function fromEnvironment(
  name: LimitName,
  type: string,
  environment: Environment,
): number | undefined {
  for (const variable of variablesFor(type, name)) {
    const text = environment[variable]?.trim();
    if (text) return checked(name, /^\d+$/.test(text) ? Number(text) : NaN, variable, text);
  }
  return undefined;
}

function fromProject(name: LimitName, type: string, { agents }: ProjectConfig): number | undefined {
  for (const key of namesOf(type)) {
    const value = own(agents, key)?.[name];
    if (value !== undefined)
      return checked(name, value, `agents.${key}.${name} in .ralph/config.json`, value);
  }
  return undefined;
}

function checked(name: LimitName, value: number, where: string, found: unknown): number {
  if (limitFault(name, value) === undefined) return value;
  const { from, to } = LIMITS[name];
  throw new WiggumError(
    'CONFIG_INVALID',
    `${where}: expected a whole number from ${from} to ${to}, found ${JSON.stringify(found)}`,
    { where },
  );
}
