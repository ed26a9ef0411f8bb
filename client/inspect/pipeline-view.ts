import type { AgentDefinition, DefinitionProblem } from '../../config/agent-definition.ts';
import { LIMIT_NAMES, type LimitName } from '../../config/agent-limits.ts';
import { limitLevels, planOf, type PlanSources } from '../../config/agent-plan.ts';
import type { LoadedRun } from '../../config/load-definitions.ts';
import { costLimitLevels } from '../../config/project-config.ts';
import type { Level } from '../../config/setting.ts';
import type { AgentMode, AgentPlan } from '../../workflows/domain/agent.ts';
import {
  commitsAfter,
  enabledVariables,
  jumpAfter,
  own,
  possibleResults,
  targetOf,
  type GateResult,
  type Jump,
  type ResultMappings,
  type Step,
  type Target,
  type Unit,
  type UnitPath,
} from '../../workflows/domain/steps.ts';

/** A pipeline as a run would take it: every jump led to its end, every limit with who decided it. */
export interface PipelineView {
  name: string;
  file: string;
  chosenBy: 'name' | 'WIGGUM_PIPELINE' | 'task' | 'project' | 'default';
  costLimit?: Level<number>;
  resultMappings: ResultMappings;
  steps: UnitView[];
  notices: DefinitionProblem[];
}

/** A step or an inline handler. */
export interface UnitView {
  path: UnitPath;
  agent: string;
  /** The file of the agent, or `built in`. */
  agentFile: string;
  mode: AgentMode;
  readonly: boolean;
  max: number;
  onMax: Way;
  /** What the agent leaves is committed: `commit_after` or `auto_commit`, unless it is readonly. */
  commits: boolean;
  /** The switch of the unit, and where a run goes on that has it off. */
  enabledBy?: { variable: string; isOn: boolean; whenOff: Target };
  hooks?: Step['hooks'];
  config: Step['config'];
  limits: LimitsInForce;
  results: Branch[];
}

export type LimitsInForce = Record<LimitName, Level>;

/** A jump as it is written, and where it leads. */
export interface Way {
  jump: Jump;
  to: Target;
}

/** What follows a result. */
export type Branch = { result: GateResult } & (
  ({ kind: 'jump'; isDefault: boolean } & Way) | { kind: 'inline'; handler: UnitView }
);

/** Lays out a pipeline that loads; fails as a run does when a variable sets a limit wrongly. */
export function pipelineView(
  run: LoadedRun,
  around: PlanSources & Pick<PipelineView, 'chosenBy' | 'notices'>,
): PipelineView {
  const { pipeline, source } = run;
  const { environment, config, chosenBy, notices } = around;
  const sources = { environment, config, pipeline: source };
  const enabled = enabledVariables(pipeline, environment);
  const [costLimit] = costLimitLevels({ environment, config, pipeline, source });
  return {
    name: pipeline.name,
    file: source,
    chosenBy,
    ...(costLimit && { costLimit }),
    resultMappings: pipeline.resultMappings,
    steps: pipeline.steps.map((step) => {
      const path = [step.id];
      const whenOff = targetOf(pipeline, path, 'next');
      return unitView({ path, step }, whenOff, { run, sources, enabled });
    }),
    notices,
  };
}

/** Every limit of an agent with the level that decides it. */
export function limitsInForce(
  agent: AgentDefinition,
  step: Step | undefined,
  sources: PlanSources,
): LimitsInForce {
  return Object.fromEntries(
    LIMIT_NAMES.map((name) => [name, limitLevels(name, { agent, step }, sources)[0]]),
  ) as LimitsInForce;
}

interface World {
  run: LoadedRun;
  sources: PlanSources;
  enabled: readonly string[];
}

function unitView({ path, step }: Unit, whenOff: Target, world: World): UnitView {
  const { pipeline, agents } = world.run;
  const agent = agents[step.agent];
  if (!agent) throw new Error(`the agent ${step.agent} was not loaded`);
  const plan = planOf(agent, step, world.sources);
  const { enabledBy: variable } = step;
  const results = new Set([...possibleResults(step, plan), ...Object.keys(step.onResult)]);
  return {
    path,
    agent: agent.type,
    agentFile: agent.source,
    mode: plan.mode,
    readonly: plan.readonly,
    max: step.max,
    onMax: { jump: step.onMax, to: targetOf(pipeline, path, step.onMax) },
    commits: commitsAfter(step, plan),
    ...(variable !== undefined && {
      enabledBy: { variable, isOn: world.enabled.includes(variable), whenOff },
    }),
    ...(step.hooks && { hooks: step.hooks }),
    config: step.config,
    limits: limitsInForce(agent, step, world.sources),
    results: [...results].map((result) => branch(result, { path, step }, plan, world)),
  };
}

function branch(
  result: GateResult,
  unit: Unit,
  { resultMappings }: AgentPlan,
  world: World,
): Branch {
  const { pipeline } = world.run;
  const { path, step } = unit;
  const handler = own(step.onResult, result);
  const jump = jumpAfter(pipeline, unit, result, resultMappings);
  const to = targetOf(pipeline, path, jump);
  if (handler?.kind !== 'inline')
    return { result, kind: 'jump', isDefault: handler === undefined, jump, to };
  // Where the result leads by itself, it leads when its handler is off.
  const inner = { path: [...path, handler.step.id], step: handler.step };
  return { result, kind: 'inline', handler: unitView(inner, to, world) };
}
