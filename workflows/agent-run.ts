import { sleep, uuid4, workflowInfo } from '@temporalio/workflow';
import { agentActivities } from './activities.ts';
import { afterTurn, FRESH_LOOP, type EndReason, type NextTurn } from './domain/agent-loop.ts';
import type { AgentOutcome, AgentPlan, AgentTurn, ParentContext } from './domain/agent.ts';
import type { GateResult, Step } from './domain/steps.ts';
import type { SweepSettings } from './domain/sweep.ts';
import type { PreparedTask } from './domain/task.ts';

export interface AgentRun {
  hostId: string;
  prepared: PreparedTask;
  settings: SweepSettings;
  unit: Step;
  plan: AgentPlan;
  runId: string;
  visit: number;
  parent?: ParentContext;
  nextStepId?: string;
  /** Told before each turn and each wait, so that `status` can say what happens. */
  progress: (now: { iteration: number; sessionId: string; doing: string }) => void;
}

export interface AgentRunResult {
  result: GateResult;
  why: EndReason;
  detail?: string;
  iterations: number;
  sessionId: string;
  report?: string;
  costUsd: number;
  turns: number;
  seconds: number;
}

const UNKNOWN_RESET_MS = 5 * 60_000;

/** Runs one agent: sessions in a row until its definition says that it is done. */
export async function runAgent(run: AgentRun): Promise<AgentRunResult> {
  const { plan, parent } = run;
  const totals = { costUsd: 0, turns: 0, seconds: 0 };
  let loop = FRESH_LOOP;
  let sessionId = plan.mode === 'resume' ? parent?.sessionId : uuid4();
  if (!sessionId)
    return {
      ...totals,
      result: 'FAIL',
      why: 'broken',
      detail: `${plan.type} continues its parent's session, and no session of ${parent?.stepId ?? 'a parent step'} is known`,
      iterations: 0,
      sessionId: '',
    };
  let continues = plan.mode === 'resume';
  let report: string | undefined;
  let next: NextTurn = { kind: 'work', iteration: 0, again: continues };
  let purpose: AgentTurn['purpose'] = 'work';
  // A later run of the task may go on in the same folder: its turns are others. Only the end of a
  // run id is random, it begins with the time.
  const life = workflowInfo().firstExecutionRunId.slice(-12);

  for (let turn = 0; next.kind !== 'end'; turn += 1) {
    if (next.kind === 'wait') {
      const doing = waitText(next);
      const { until } = next;
      run.progress({ iteration: loop.iteration, sessionId, doing });
      await sleep(until ? Math.max(1000, Date.parse(until) - Date.now()) : UNKNOWN_RESET_MS, {
        summary: doing,
      });
      continues = true;
    } else {
      purpose = next.kind;
      if (next.kind === 'work' && !next.again && next.iteration > 0) {
        sessionId = uuid4();
        continues = false;
      }
    }
    const doing = turnText(run, loop.iteration, purpose, totals);
    run.progress({ iteration: loop.iteration, sessionId, doing });
    const outcome: AgentOutcome = await agentActivities(
      run.hostId,
      doing,
      plan.timeoutSeconds,
    ).runAgent({
      place: run.prepared.place,
      key: `${run.runId}/${loop.iteration}-${purpose}-${turn}/${life}`,
      stepId: run.unit.id,
      runId: run.runId,
      agent: plan.type,
      purpose,
      iteration: loop.iteration,
      visit: run.visit,
      sessionId,
      continues,
      ...(parent && { parent }),
      ...(run.nextStepId && { nextStepId: run.nextStepId }),
      limits: {
        maxTurns: plan.maxTurns,
        timeoutSeconds: plan.timeoutSeconds,
        maxIterations: plan.maxIterations,
      },
      validResults: plan.validResults,
      backend: run.settings.backend,
      ...(run.settings.script && { script: run.settings.script }),
    });
    totals.costUsd += outcome.usage.costUsd;
    totals.turns += outcome.usage.turns;
    totals.seconds += outcome.usage.seconds;
    sessionId = outcome.sessionId;
    continues = true;
    report = outcome.report ?? report;
    ({ state: loop, next } = afterTurn(plan, loop, purpose, outcome));
  }
  return {
    ...totals,
    result: next.result,
    why: next.why,
    ...(next.detail !== undefined && { detail: next.detail }),
    iterations: loop.iteration + 1,
    sessionId,
    ...(report !== undefined && { report }),
  };
}

function turnText(
  { unit, plan }: AgentRun,
  iteration: number,
  purpose: AgentTurn['purpose'],
  totals: { turns: number; costUsd: number },
): string {
  const round =
    plan.mode === 'ralph_loop' ? ` · iteration ${iteration + 1} of ${plan.maxIterations}` : '';
  const spent = totals.turns > 0 ? ` · ${totals.turns} turns · $${totals.costUsd.toFixed(2)}` : '';
  const what =
    purpose === 'work' ? '' : purpose === 'summary' ? ' · summary' : ' · asks for the result';
  return `${unit.id}${round}${what}${spent}`;
}

function waitText({ what, until, reason }: Extract<NextTurn, { kind: 'wait' }>): string {
  const minutes = UNKNOWN_RESET_MS / 60_000;
  switch (what) {
    case 'usage limit':
      return `usage limit, goes on ${until ? `at ${until}` : `in ${minutes} minutes`}: ${reason}`;
    case 'login':
      return `needs you to log the agent in, tries again every ${minutes} minutes: ${reason}`;
  }
}
