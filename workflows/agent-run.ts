import { sleep, uuid4, workflowInfo } from '@temporalio/workflow';
import { agentActivities } from './activities.ts';
import { afterTurn, beginTurn, outOfTime } from './domain/agent-loop.ts';
import type { AgentPlan, AgentTurn, ParentContext, TurnPurpose } from './domain/agent.ts';
import { FRESH_LOOP, type EndReason, type NextTurn, type Wait } from './domain/loop-state.ts';
import type { GateResult, Step } from './domain/steps.ts';
import type { SweepSettings } from './domain/sweep.ts';
import type { PreparedTask } from './domain/task.ts';
import { NO_USAGE, sumUsage, type Usage } from './domain/usage.ts';
import { joinGuidance, type Steering } from './steering.ts';

export interface AgentRun {
  hostId: string;
  prepared: PreparedTask;
  settings: SweepSettings;
  unit: Step;
  plan: AgentPlan;
  runId: string;
  /** Names a further run of the same step, for a supervisor who has it begin anew. */
  nextRunId: () => string;
  visit: number;
  readonly: boolean;
  checkpoint?: string;
  parent?: ParentContext;
  nextStepId?: string;
  /** What earlier steps handed on. */
  outputs: Readonly<Record<string, string>>;
  pullRequestUrl: string | undefined;
  steering: Steering;
  /** Told before each turn and each wait, so that `status` can say what happens. */
  progress: (now: AgentProgress) => void;
}

export interface AgentProgress {
  iteration: number;
  sessionId: string;
  usage: Usage;
  doing: string;
}

export interface AgentRunResult {
  result: GateResult;
  why: EndReason;
  detail?: string;
  iterations: number;
  /** The run that ended: a supervisor's restart makes a new one. */
  runId: string;
  /** Of that run, from 0. */
  lastIteration: number;
  sessionId: string;
  report?: string;
  usage: Usage;
}

const PATIENCE_MS = 5 * 60_000;
/** Time for a result that is asked for when the step's own is over. */
const ASKING_SECONDS = 300;

/** Runs one agent: sessions in a row until its definition says that it is done. */
export async function runAgent(run: AgentRun): Promise<AgentRunResult> {
  const { plan, parent } = run;
  let { runId } = run;
  let usage = NO_USAGE;
  let loop = FRESH_LOOP;
  let sessionId = plan.mode === 'resume' ? parent?.sessionId : uuid4();
  if (!sessionId)
    return {
      result: 'FAIL',
      why: 'broken',
      detail: `${plan.type} continues its parent's session, and no session of ${parent?.stepId ?? 'a parent step'} is known`,
      iterations: 0,
      runId,
      lastIteration: 0,
      sessionId: '',
      usage,
    };
  let continues = plan.mode === 'resume';
  let report: string | undefined;
  let next: NextTurn = { kind: 'work', iteration: 0, session: 'same' };
  let purpose: TurnPurpose = 'work';
  const told: string[] = [];
  // A later run of the task may go on in the same folder: its turns are others. Only the end of a
  // run id is random, it begins with the time.
  const life = workflowInfo().firstExecutionRunId.slice(-12);

  for (let turn = 0; next.kind !== 'end'; turn += 1) {
    if (next.kind === 'wait') {
      const doing = waitText(next);
      run.progress({ iteration: loop.iteration, sessionId, usage, doing });
      await sleep(waitMs(next), { summary: doing });
      continues = true;
    } else purpose = next.kind;
    const left = Math.ceil(plan.timeoutSeconds - usage.seconds);
    if (left < 1 && purpose !== 'ask-result') {
      ({ state: loop, next } = outOfTime(plan, loop));
      continue;
    }
    loop = beginTurn(loop, next);
    if (next.kind === 'work' && next.session === 'new') {
      sessionId = uuid4();
      continues = false;
      if (next.anew) runId = run.nextRunId();
    }
    const doing = turnText(run, loop.iteration, purpose);
    const ours = purpose === 'supervise' ? uuid4() : sessionId;
    run.progress({ iteration: loop.iteration, sessionId: ours, usage, doing });
    if (purpose === 'work')
      told.push(...run.steering.deliver(`${run.unit.id}, iteration ${loop.iteration + 1}`));
    const guidance = joinGuidance(loop.guidance, told);
    const timeoutSeconds = purpose === 'ask-result' ? Math.max(left, ASKING_SECONDS) : left;
    const outcome = await agentActivities(
      run.hostId,
      `${doing}${spentText(usage)}`,
      timeoutSeconds,
    ).runAgent({
      ...turnOf(run),
      key: `${runId}/${loop.iteration}-${purpose}-${turn}/${life}`,
      runId,
      purpose,
      iteration: loop.iteration,
      sessionId: ours,
      continues: continues && purpose !== 'supervise',
      restarts: loop.restarts,
      ...(guidance && { guidance }),
      limits: {
        maxTurns: plan.maxTurns,
        timeoutSeconds,
        maxIterations: plan.maxIterations,
        ...(purpose === 'supervise' && { maxRestarts: plan.maxRestarts }),
      },
    });
    usage = sumUsage([usage, outcome.usage]);
    if (purpose !== 'supervise') {
      sessionId = outcome.sessionId;
      continues = true;
      report = outcome.report ?? report;
    }
    ({ state: loop, next } = afterTurn(plan, loop, purpose, outcome));
  }
  return {
    result: next.result,
    why: next.why,
    ...(next.detail !== undefined && { detail: next.detail }),
    iterations: loop.earlierIterations + loop.iteration + 1,
    runId,
    lastIteration: loop.iteration,
    sessionId,
    ...(report !== undefined && { report }),
    usage,
  };
}

/** What is the same in every turn of a run. */
function turnOf(run: AgentRun) {
  const { prepared, plan, settings, parent, checkpoint, pullRequestUrl, nextStepId } = run;
  return {
    place: prepared.place,
    stepId: run.unit.id,
    agent: plan.type,
    visit: run.visit,
    readonly: run.readonly,
    validResults: plan.validResults,
    outputs: run.outputs,
    branch: prepared.branch,
    environment: settings.environment,
    backend: settings.backend,
    ...(settings.script && { script: settings.script }),
    ...(parent && { parent }),
    ...(nextStepId && { nextStepId }),
    ...(checkpoint && { checkpoint }),
    ...(pullRequestUrl && { pullRequestUrl }),
  } satisfies Partial<AgentTurn>;
}

function turnText({ unit, plan }: AgentRun, iteration: number, purpose: TurnPurpose): string {
  const round =
    plan.mode === 'ralph_loop' ? ` · iteration ${iteration + 1} of ${plan.maxIterations}` : '';
  return `${unit.id}${round}${PURPOSES[purpose]}`;
}

function spentText({ turns, costUsd }: Usage): string {
  return turns > 0 ? ` · ${turns} ${turns === 1 ? 'turn' : 'turns'} · $${costUsd.toFixed(2)}` : '';
}

const PURPOSES: Readonly<Record<TurnPurpose, string>> = {
  work: '',
  summary: ' · summary',
  'ask-result': ' · asks for the result',
  supervise: ' · supervisor',
};

function waitMs({ seconds, until }: Wait): number {
  if (seconds !== undefined) return seconds * 1000;
  return until === undefined ? PATIENCE_MS : Math.max(1000, Date.parse(until) - Date.now());
}

function waitText({ what, until, seconds, reason }: Wait): string {
  const minutes = PATIENCE_MS / 60_000;
  switch (what) {
    case 'usage limit':
      return `usage limit, goes on ${until ? `at ${until}` : `in ${minutes} minutes`}: ${reason}`;
    case 'login':
      return `needs you to log the agent in, tries again every ${minutes} minutes: ${reason}`;
    case 'outage':
      return `the model cannot be reached, tries again in ${seconds ? `${seconds} seconds` : `${minutes} minutes`}: ${reason}`;
  }
}
