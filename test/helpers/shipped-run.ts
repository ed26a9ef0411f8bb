import type { AgentDefinition } from '../../config/agent-definition.ts';
import { planOf } from '../../config/agent-plan.ts';
import { findPipelineFile } from '../../config/find-definitions.ts';
import { loadAgent, readRun, type LoadedRun } from '../../config/load-definitions.ts';
import { loadProjectConfig } from '../../config/project-config.ts';
import type { AgentPlan } from '../../workflows/domain/agent.ts';
import { advance, begin, type PipelineState } from '../../workflows/domain/pipeline.ts';
import { aStep } from './a-pipeline.ts';

const places = { ralphDir: '/nowhere/.ralph', environment: {} };

/** A shipped pipeline as it is read from its file. */
export async function readShipped(pipeline: string): ReturnType<typeof readRun> {
  const found = await findPipelineFile({ taskId: 'AB-1', pipeline }, places);
  if (!found) throw new Error(`no pipeline ${pipeline} is shipped`);
  return readRun(found, places);
}

/** A shipped agent, whether or not a pipeline names it. */
export function shippedAgent(type: string): Promise<AgentDefinition> {
  return loadAgent(type, places);
}

/** How a shipped agent is driven at a step, or at one that says nothing; no project says anything either. */
export async function shippedPlan(type: string, step = aStep('alone')): Promise<AgentPlan> {
  const { ralphDir, environment } = places;
  const config = await loadProjectConfig(ralphDir, environment);
  return planOf(await shippedAgent(type), step, { environment, config });
}

/** A plan as it reads in a table: mode, results, limits. */
export function rowOf({ mode, readonly, validResults, ...limits }: AgentPlan): string[] {
  return [
    readonly ? `${mode} readonly` : mode,
    validResults.join(' '),
    [limits.maxIterations, limits.maxTurns, limits.timeoutSeconds].join('/'),
  ];
}

/** The units that run when these results come, everything else passing, and how it ends. */
export function roadOf(
  { pipeline, agents }: LoadedRun,
  results: Readonly<Record<string, readonly string[]>>,
  enabled: readonly string[] = [],
): string[] {
  const mappings = Object.fromEntries(
    Object.entries(agents).map(([type, { settings }]) => [type, settings.resultMappings]),
  );
  const context = { enabled, mappings };
  const units: string[] = [];
  let state: PipelineState = begin(pipeline, context);
  while (state.kind === 'at') {
    const unit = state.path.at(-1) ?? '';
    const earlier = units.filter((name) => name === unit).length;
    units.push(unit);
    state = advance(pipeline, context, state, results[unit]?.[earlier] ?? 'PASS');
  }
  return [...units, state.kind === 'aborted' ? `aborted: ${state.why}` : state.kind];
}
