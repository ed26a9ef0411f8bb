import type { AgentPlan, RunPlace } from '../../workflows/domain/agent.ts';
import {
  DEFAULT_MAPPINGS,
  own,
  type GateResult,
  type ResultMapping,
  type ResultMappings,
} from '../../workflows/domain/steps.ts';
import { ExitCode, WiggumError } from '../../workflows/domain/errors.ts';
import { logActivity } from '../agent/activity-log.ts';
import { readIfThere } from '../durable-file.ts';
import { writeResult } from '../agent/result-record.ts';
import { commitStep } from '../git/commit.ts';
import { restoreCheckpoint } from '../git/restore-checkpoint.ts';

export interface StepEnd {
  place: RunPlace;
  runId: string;
  epoch: number;
  step: string;
  agent: AgentPlan;
  readonly: boolean;
  commitAfter: boolean;
  startedAt: string;
  resultMappings: ResultMappings;
  run: {
    result: GateResult;
    why: string;
    detail?: string;
    iterations: number;
    sessionId: string;
    report?: string;
    costUsd: number;
    turns: number;
  };
}

export interface StepEnded {
  result: GateResult;
  commit?: string;
  report?: string;
  fault?: string;
  /** How the agent itself explains a failure: the beginning of its report. */
  words?: string;
}

/** Closes a step: readonly work is undone, other work committed, and the result goes on record. */
export async function endStep(end: StepEnd): Promise<StepEnded> {
  const { place, step, runId, run } = end;
  if (end.readonly) await restoreCheckpoint(place, runId);
  const committed = end.commitAfter ? await commit(end) : {};
  // A failure stays one, and so does a result that nobody knows: neither is mended by a repair.
  const status = mappingOf(end, run.result)?.status;
  const isGood = status === 'success' || status === 'partial';
  const result = committed.fault && isGood ? 'FIX' : run.result;
  const mapping = mappingOf(end, result);
  const record = await writeResult({
    place,
    epoch: end.epoch,
    agentType: end.agent.type,
    stepId: step,
    runId,
    result,
    mapping,
    // Max iterations has an exit code of its own (checklist 95).
    ...(run.why === 'max-iterations' && { exitCode: ExitCode.maxIterations }),
    iterations: run.iterations,
    startedAt: end.startedAt,
    endedAt: new Date().toISOString(),
    errors: [run.detail, committed.fault].filter((text) => text !== undefined),
    outputs: { session_id: run.sessionId },
    metadata: {
      why: run.why,
      cost_usd: run.costUsd,
      turns: run.turns,
      ...(committed.commit && { commit: committed.commit }),
    },
    ...(run.report && { report: run.report }),
  });
  await logActivity(
    place,
    'step.completed',
    { step_id: step, result, run_id: runId },
    `${runId}:completed`,
  );
  const words = mapping?.status === 'failure' && (await beginningOf(record.report));
  return {
    result,
    ...(committed.commit && { commit: committed.commit }),
    ...(record.report && { report: record.report }),
    ...(committed.fault && { fault: committed.fault }),
    ...(words && { words }),
  };
}

function mappingOf(end: StepEnd, result: GateResult): ResultMapping | undefined {
  return (
    own(end.resultMappings, result) ??
    own(end.agent.resultMappings, result) ??
    own(DEFAULT_MAPPINGS, result)
  );
}

/** One line of it: it stands on the board's screen and in histories. */
async function beginningOf(report: string | undefined): Promise<string | undefined> {
  const text = report && (await readIfThere(report));
  if (!text) return undefined;
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS - 1)}…` : line;
}

const MAX_WORDS = 300;

/** Work that must not be committed is a fault, with the files named. */
async function commit(end: StepEnd): Promise<{ commit?: string; fault?: string }> {
  const { place, step, agent, runId, epoch } = end;
  try {
    const { commit: id } = await commitStep(place, {
      message: `${place.taskId}: ${step} - ${agent.type}`,
      key: runId,
      timestamp: epoch,
    });
    return id ? { commit: id } : {};
  } catch (error) {
    if (error instanceof WiggumError && error.code === 'COMMIT_REFUSED')
      return { fault: error.message };
    throw error;
  }
}
