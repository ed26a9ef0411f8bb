import { ApplicationFailure } from '@temporalio/workflow';
import { hostActivities } from './activities.ts';
import { runAgent } from './agent-run.ts';
import type { ParentContext } from './domain/agent.ts';
import type { EndReason } from './domain/agent-loop.ts';
import {
  advance,
  begin,
  judge,
  nextStepId,
  unitAt,
  type PipelinePosition,
} from './domain/pipeline.ts';
import { own, unitKey, type Step } from './domain/steps.ts';
import type { SweepSettings } from './domain/sweep.ts';
import type { PreparedTask, StepRecord } from './domain/task.ts';

export interface PipelineRun {
  hostId: string;
  prepared: PreparedTask;
  settings: SweepSettings;
  from?: string;
  /** Steps of this run so far; grows as the pipeline moves. */
  records: StepRecord[];
  /** What was begun in this task run so far, also what a restart cut off. */
  begun: Begun;
  progress: (now: PipelineProgress) => void;
}

export interface Begun {
  /** The second that the last step began at: no two steps of a task share one. */
  lastEpoch: number;
  /** Starts of each step. */
  visits: Record<string, number>;
  /** What later steps may know of each step, by its id. */
  memory: Record<string, ParentContext>;
}

export interface PipelineEnd {
  fault?: string;
  /** The last agent had no iterations left. */
  outOfIterations?: boolean;
}

export interface PipelineProgress {
  step: string;
  visit: number;
  iteration?: number;
  sessionId?: string;
  doing: string;
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
  let last: { detail: string | undefined; why: EndReason } | undefined;
  let state = begin(pipeline, context, run.from);
  while (state.kind === 'at') {
    const unit = unitAt(pipeline, state);
    const spent = run.records.reduce((sum, record) => sum + record.costUsd, 0);
    if (pipeline.costLimitUsd !== undefined && spent > pipeline.costLimitUsd)
      return {
        fault: `cost limit: $${spent.toFixed(2)} spent, $${pipeline.costLimitUsd} allowed by pipeline ${pipeline.name}`,
      };
    // Run ids are `<step>-<epoch>`; two runs within one second take the next free epoch.
    const epoch = Math.max(Math.floor(Date.now() / 1000), run.begun.lastEpoch + 1);
    run.begun.lastEpoch = epoch;
    const runId = `${unit.id}-${epoch}`;
    const { result, ...more } = await runStep(run, state, unit, { runId, epoch });
    last = more;
    state = advance(pipeline, context, state, result);
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

async function runStep(
  run: PipelineRun,
  state: PipelinePosition,
  unit: Step,
  started: { runId: string; epoch: number },
) {
  const { prepared, hostId } = run;
  const plan = own(prepared.plans, unitKey(state.path));
  if (!plan) throw ApplicationFailure.nonRetryable(`no plan for step ${state.path.join(' › ')}`);
  const visit = (own(run.begun.visits, unit.id) ?? 0) + 1;
  run.begun.visits[unit.id] = visit;
  const parent = parentOf(prepared, state.path, run.begun.memory);
  const readonly = unit.readonly || plan.readonly;
  const following = nextStepId(prepared.pipeline, state);
  run.progress({ step: unit.id, visit, doing: `${unit.id} is being prepared` });
  const begun = await hostActivities(hostId, `${unit.id} · begin`).beginStep({
    place: prepared.place,
    runId: started.runId,
    step: unit.id,
    agent: unit.agent,
    readonly,
  });
  const agentRun = await runAgent({
    hostId,
    prepared,
    settings: run.settings,
    unit,
    plan,
    runId: started.runId,
    visit,
    ...(parent && { parent }),
    ...(following && { nextStepId: following }),
    progress: (now) => run.progress({ step: unit.id, visit, ...now }),
  });
  const result = judge(state, agentRun.result);
  const ended = await hostActivities(hostId, `${unit.id} · ${result}`).endStep({
    place: prepared.place,
    runId: started.runId,
    epoch: started.epoch,
    step: unit.id,
    agent: plan,
    readonly,
    commitAfter: unit.commitAfter && !readonly,
    startedAt: begun.startedAt,
    resultMappings: prepared.pipeline.resultMappings,
    run: { ...agentRun, result },
  });
  run.records.push({
    step: unit.id,
    agent: unit.agent,
    runId: started.runId,
    visit,
    result: ended.result,
    iterations: agentRun.iterations,
    costUsd: agentRun.costUsd,
    seconds: agentRun.seconds,
    turns: agentRun.turns,
  });
  run.begun.memory[unit.id] = {
    stepId: unit.id,
    runId: started.runId,
    sessionId: agentRun.sessionId,
    result: ended.result,
    ...(ended.report && { report: ended.report }),
  };
  const repeated =
    result === agentRun.result ? undefined : `${agentRun.result} three times running`;
  return {
    result: ended.result,
    why: agentRun.why,
    detail: ended.fault ?? repeated ?? agentRun.detail ?? ended.words,
  };
}

/** The step above an inline handler, or the nearest earlier step that has run. */
function parentOf(
  prepared: PreparedTask,
  path: readonly string[],
  memory: Readonly<Record<string, ParentContext>>,
): ParentContext | undefined {
  if (path.length > 1) return own(memory, path.at(-2) ?? '');
  const ids = prepared.pipeline.steps.map((step) => step.id);
  const earlier = ids.slice(0, Math.max(0, ids.indexOf(path[0] ?? '')));
  return earlier
    .toReversed()
    .map((id) => own(memory, id))
    .find(Boolean);
}
