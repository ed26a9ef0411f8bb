import type { AgentDefinition, DefinitionProblem } from '../../config/agent-definition.ts';
import { LIMIT_NAMES, type LimitName } from '../../config/agent-limits.ts';
import { limitLevels, planOf, type PlanSources } from '../../config/agent-plan.ts';
import type { LoadedRun } from '../../config/load-definitions.ts';
import { costLimitLevels } from '../../config/project-config.ts';
import type { Level } from '../../config/setting.ts';
import type { AgentMode } from '../../workflows/domain/agent.ts';
import {
  defaultJump,
  enabledVariables,
  own,
  targetOf,
  type GateResult,
  type Jump,
  type ResultMappings,
  type Step,
  type Target,
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
  commitAfter: boolean;
  /** The switch of the unit, and where a run goes on that has it off. */
  enabledBy?: { variable: string; isOn: boolean; whenOff: Target };
  hooks?: Step['hooks'];
  config: Step['config'];
  limits: Limits;
  results: Branch[];
}

export type Limits = Record<LimitName, Level>;

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
    steps: pipeline.steps.map((step) => unitView([step.id], step, { run, sources, enabled })),
    notices,
  };
}

/** Every limit of an agent with the level that decides it. */
export function limitsInForce(
  agent: AgentDefinition,
  step: Step | undefined,
  sources: PlanSources,
): Limits {
  return Object.fromEntries(
    LIMIT_NAMES.map((name) => [name, limitLevels(name, { agent, step }, sources)[0]]),
  ) as Limits;
}

interface World {
  run: LoadedRun;
  sources: PlanSources;
  enabled: readonly string[];
}

function unitView(path: UnitPath, step: Step, world: World): UnitView {
  const { pipeline, agents } = world.run;
  const agent = agents[step.agent];
  if (!agent) throw new Error(`the agent ${step.agent} was not loaded`);
  const { mode, readonly } = planOf(agent, step, world.sources);
  const { enabledBy: variable } = step;
  return {
    path,
    agent: agent.type,
    agentFile: agent.source,
    mode,
    readonly,
    max: step.max,
    onMax: { jump: step.onMax, to: targetOf(pipeline, path, step.onMax) },
    commitAfter: step.commitAfter,
    ...(variable !== undefined && {
      enabledBy: {
        variable,
        isOn: world.enabled.includes(variable),
        whenOff: targetOf(pipeline, path, 'next'),
      },
    }),
    ...(step.hooks && { hooks: step.hooks }),
    config: step.config,
    limits: limitsInForce(agent, step, world.sources),
    results: possibleResults(agent, step).map((result) =>
      branch(result, { path, step, agent }, world),
    ),
  };
}

/** What the agent declares, what the step handles, and what can come of any agent. */
function possibleResults({ validResults }: AgentDefinition, { onResult }: Step): GateResult[] {
  return [...new Set([...validResults, ...Object.keys(onResult), 'FAIL', 'UNKNOWN'])];
}

function branch(
  result: GateResult,
  { path, step, agent }: { path: UnitPath; step: Step; agent: AgentDefinition },
  world: World,
): Branch {
  const { pipeline } = world.run;
  const handler = own(step.onResult, result);
  if (handler?.kind === 'inline') {
    const inner = [...path, handler.step.id];
    return { result, kind: 'inline', handler: unitView(inner, handler.step, world) };
  }
  // As in the machine: a handler that says nothing else hands back to its parent.
  const jump =
    handler?.to ??
    (path.length > 1 ? 'self' : defaultJump(pipeline, agent.settings.resultMappings, result));
  const to = targetOf(pipeline, path, jump);
  return { result, kind: 'jump', isDefault: handler === undefined, jump, to };
}
