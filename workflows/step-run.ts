import { ApplicationFailure, sleep } from '@temporalio/workflow';
import type { BuiltInEnd, BuiltInWait } from '../activities/built-in/built-in-order.ts';
import { checkActivities, hostActivities } from './activities.ts';
import { runAgent, type AgentRunResult } from './agent-run.ts';
import type { ParentContext } from './domain/agent.ts';
import type { EndReason } from './domain/loop-state.ts';
import { judge, nextStepId, type PipelinePosition } from './domain/pipeline.ts';
import { commitsAfter, own, unitKey, type GateResult, type Step } from './domain/steps.ts';
import { NO_USAGE } from './domain/usage.ts';
import type { PipelineRun } from './pipeline-run.ts';

export interface StepOutcome {
  result: GateResult;
  why: EndReason;
  detail: string | undefined;
}

/** Runs one step or inline handler: hooks, agent, record; remembers what later steps may know of it. */
export async function runStep(
  run: PipelineRun,
  state: PipelinePosition,
  unit: Step,
): Promise<StepOutcome> {
  const { prepared, hostId, begun } = run;
  const { place, pipeline } = prepared;
  const plan = own(prepared.plans, unitKey(state.path));
  if (!plan) throw ApplicationFailure.nonRetryable(`no plan for step ${state.path.join(' › ')}`);
  const visit = (own(begun.visits, unit.id) ?? 0) + 1;
  begun.visits[unit.id] = visit;
  const { runId, epoch } = nextRun(run, unit);
  const readonly = unit.readonly || plan.readonly;
  run.progress({ step: unit.id, visit, doing: `${unit.id} is being prepared` });
  const { startedAt, checkpoint } = await hostActivities(hostId, `${unit.id} · begin`).beginStep({
    place,
    runId,
    step: unit.id,
    agent: unit.agent,
    readonly,
  });
  await runHooks(run, unit, runId, 'pre');
  const agentRun =
    plan.mode === 'built-in'
      ? await runBuiltIn(run, unit, visit, { runId, epoch })
      : await runAgent({
          ...contextOf(run, state),
          unit,
          plan,
          runId,
          nextRunId: () => nextRun(run, unit).runId,
          visit,
          readonly,
          ...(checkpoint && { checkpoint }),
          progress: (now) => run.progress({ step: unit.id, visit, ...now }),
        });
  await runHooks(run, unit, runId, 'post');
  const result = judge(state, agentRun.result);
  const ended = await hostActivities(hostId, `${unit.id} · ${result}`).endStep({
    place,
    runId,
    epoch,
    step: unit.id,
    agent: plan,
    readonly,
    commitAfter: commitsAfter(unit, plan),
    startedAt,
    resultMappings: pipeline.resultMappings,
    run: { ...agentRun, result },
  });
  const { usage, sessionId, iterations } = agentRun;
  run.records.push({
    step: unit.id,
    agent: unit.agent,
    runId,
    visit,
    result: ended.result,
    iterations,
    startedAt,
    endedAt: ended.endedAt,
    ...usage,
  });
  begun.memory[unit.id] = {
    stepId: unit.id,
    runId: agentRun.runId,
    ...(sessionId && { sessionId }),
    result: ended.result,
    ...(ended.report && { report: ended.report }),
    outputDir: ended.outputDir,
  };
  Object.assign(begun.outputs, ended.outputs);
  const repeated =
    result === agentRun.result ? undefined : `${agentRun.result} three times running`;
  return {
    result: ended.result,
    why: agentRun.why,
    detail: ended.fault ?? repeated ?? agentRun.detail ?? ended.words,
  };
}

/** Run ids are `<step>-<epoch>`; two runs within one second take the next free epoch. */
function nextRun({ begun }: PipelineRun, unit: Step): { runId: string; epoch: number } {
  const epoch = Math.max(Math.floor(Date.now() / 1000), begun.lastEpoch + 1);
  begun.lastEpoch = epoch;
  return { runId: `${unit.id}-${epoch}`, epoch };
}

function contextOf(run: PipelineRun, state: PipelinePosition) {
  const { hostId, prepared, settings, steering, begun } = run;
  const parent = parentOf(run, state.path);
  const following = nextStepId(prepared.pipeline, state);
  return {
    hostId,
    prepared,
    settings,
    steering,
    outputs: begun.outputs,
    ...(parent && { parent }),
    ...(following && { nextStepId: following }),
    pullRequestUrl: run.pullRequestUrl(),
  };
}

/** The step above an inline handler, or the nearest earlier step that has run. */
function parentOf(
  { prepared, begun }: PipelineRun,
  path: readonly string[],
): ParentContext | undefined {
  if (path.length > 1) return own(begun.memory, path.at(-2) ?? '');
  const ids = prepared.pipeline.steps.map((step) => step.id);
  const earlier = ids.slice(0, Math.max(0, ids.indexOf(path[0] ?? '')));
  return earlier
    .toReversed()
    .map((id) => own(begun.memory, id))
    .find(Boolean);
}

/** What a hook does is the project's affair: its failure is written down, and the step goes on. */
async function runHooks(
  { hostId, prepared }: PipelineRun,
  unit: Step,
  runId: string,
  when: 'pre' | 'post',
): Promise<void> {
  const calls = unit.hooks?.[when] ?? [];
  if (calls.length === 0) return;
  const { place, hooks } = prepared;
  await checkActivities(hostId, `${unit.id} · ${when} hooks: ${calls.join(', ')}`).runHooks({
    place,
    runId,
    step: unit.id,
    when,
    calls,
    hooks,
  });
}

/** Runs an agent that is code of ours: no session, no turns, no cost. */
async function runBuiltIn(
  run: PipelineRun,
  unit: Step,
  visit: number,
  started: { runId: string; epoch: number },
): Promise<AgentRunResult> {
  const { runId } = started;
  const { place, target } = run.prepared;
  const order = { place, agent: unit.agent, step: unit.id, target, title: run.title, ...started };
  const ask = () => checkActivities(run.hostId, `${unit.id} · ${unit.agent}`).runBuiltIn(order);
  let end: BuiltInEnd | BuiltInWait =
    unit.agent === MERGING_AGENT ? await run.merge() : await ask();
  while ('lookAgainSeconds' in end) {
    const doing = `${unit.id} waits for ${end.waitsFor}`;
    run.progress({ step: unit.id, visit, doing });
    await sleep(end.lookAgainSeconds * 1000, { summary: doing });
    end = await ask();
  }
  const { result, detail, report } = end;
  return {
    result,
    why: 'result',
    ...(detail && { detail }),
    iterations: 1,
    runId,
    lastIteration: 0,
    sessionId: '',
    ...(report && { report }),
    usage: NO_USAGE,
  };
}

/** The one built-in agent that needs the workflow: merges take their turn in the train. */
const MERGING_AGENT = 'workflow.pr-merge';
