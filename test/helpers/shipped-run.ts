import type { AgentDefinition } from '../../config/agent-definition.ts';
import { findPipelineFile } from '../../config/find-definitions.ts';
import { loadAgent, readRun, type LoadedRun } from '../../config/load-definitions.ts';
import { advance, begin, type PipelineState } from '../../workflows/domain/pipeline.ts';

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

/** How an agent's table row reads: mode, results, and its limits of agents.json. */
export function rowOf({ mode, readonly, validResults, settings }: AgentDefinition): string[] {
  const { maxIterations, maxTurns, timeoutSeconds } = settings;
  return [
    readonly ? `${mode} readonly` : mode,
    validResults.join(' '),
    [maxIterations, maxTurns, timeoutSeconds].join('/'),
  ];
}

/** The units that run when these results come, everything else passing, and how it ends. */
export function roadOf(
  { pipeline, agents }: LoadedRun,
  results: Readonly<Record<string, readonly string[]>>,
): string[] {
  const mappings = Object.fromEntries(
    Object.entries(agents).map(([type, { settings }]) => [type, settings.resultMappings]),
  );
  const context = { enabled: [], mappings };
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
