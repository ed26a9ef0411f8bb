import { advance, begin, unitAt } from './domain/pipeline.ts';
import type { PipelineRun } from './pipeline-run.ts';
import { runStep, type StepOutcome } from './step-run.ts';

export interface PipelineEnd {
  fault?: string;
  /** The last agent had no iterations left. */
  outOfIterations?: boolean;
}

/** Runs one pipeline to its end; a fault says at which step and why. */
export async function runPipeline(run: PipelineRun): Promise<PipelineEnd> {
  const { pipeline, plans, enabled } = run.prepared;
  const context = {
    enabled,
    mappings: Object.fromEntries(
      Object.values(plans).map((plan) => [plan.type, plan.resultMappings]),
    ),
  };
  let last: StepOutcome | undefined;
  let state = begin(pipeline, context, run.from);
  while (state.kind === 'at') {
    const spent = run.records.reduce((sum, record) => sum + record.costUsd, 0);
    if (pipeline.costLimitUsd !== undefined && spent > pipeline.costLimitUsd)
      return {
        fault: `cost limit: $${spent.toFixed(2)} spent, $${pipeline.costLimitUsd} allowed by pipeline ${pipeline.name}`,
      };
    last = await runStep(run, state, unitAt(pipeline, state));
    state = advance(pipeline, context, state, last.result);
  }
  if (state.kind === 'completed') return {};
  const at = state.path.join(' › ');
  const result = state.result ? ` with ${state.result}` : '';
  const why = state.why === 'exhausted' ? ' (its visits are used up)' : '';
  return {
    fault: `stopped at ${at}${result}${why}${last?.detail ? `: ${last.detail}` : ''}`,
    outOfIterations: last?.why === 'max-iterations',
  };
}
