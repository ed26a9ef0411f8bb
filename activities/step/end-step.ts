import { ExitCode } from '../../workflows/domain/errors.ts';
import { mappingOf, type GateResult, type ResultMappings } from '../../workflows/domain/steps.ts';
import type { Usage } from '../../workflows/domain/usage.ts';
import { logActivity } from '../agent/activity-log.ts';
import { outputFolder } from '../agent/output-folder.ts';
import { writeResult } from '../agent/result-record.ts';
import { closeSummaries } from '../agent/summary-file.ts';
import { usageFields } from '../agent/usage-fields.ts';
import { readIfThere } from '../durable-file.ts';
import { commitOrReason, type CommitOrReason } from '../git/commit-or-reason.ts';
import { restoreCheckpoint } from '../git/restore-checkpoint.ts';
import { declaredOutputs, stepOutputs, type EndedStep } from './step-outputs.ts';

export interface StepEnd extends EndedStep {
  runId: string;
  epoch: number;
  readonly: boolean;
  commitAfter: boolean;
  resultMappings: ResultMappings;
  run: {
    result: GateResult;
    why: string;
    detail?: string;
    iterations: number;
    sessionId: string;
    report?: string;
    usage: Usage;
    /** The last one: a supervisor's restart begins another run of the same step. */
    runId: string;
    /** From 0. */
    lastIteration: number;
  };
}

export interface StepEnded {
  result: GateResult;
  endedAt: string;
  commit?: string;
  report?: string;
  fault?: string;
  /** How the agent itself explains a failure: the beginning of its report. */
  words?: string;
  /** What the agent declared for later steps, as far as it is there. */
  outputs: Record<string, string>;
  /** Where the agent left what others may read. */
  outputDir: string;
}

/** Closes a step: readonly work is undone, other work committed, and the result goes on record. */
export async function endStep(end: StepEnd): Promise<StepEnded> {
  const { place, step, runId, epoch, run, agent } = end;
  if (end.readonly) await restoreCheckpoint(place, runId);
  const { commit, refusal }: CommitOrReason = end.commitAfter
    ? await commitOrReason(place, {
        message: `${place.taskId}: ${step} - ${agent.type}`,
        key: runId,
        timestamp: epoch,
      })
    : {};
  const mapped = (result: GateResult) =>
    mappingOf(result, end.resultMappings, agent.resultMappings);
  // A failure stays one, and so does a result that nobody knows: neither is mended by a repair.
  const status = mapped(run.result)?.status;
  const isGood = status === 'success' || status === 'partial';
  const result = refusal && isGood ? 'FIX' : run.result;
  const mapping = mapped(result);
  if (agent.mode === 'ralph_loop' && run.iterations > 0)
    await closeSummaries({ place, step, ...run, readonly: end.readonly });
  const said = await stepOutputs(end);
  const record = await writeResult({
    place,
    epoch,
    agentType: agent.type,
    stepId: step,
    runId,
    result,
    mapping,
    // Max iterations has an exit code of its own (checklist 95).
    ...(run.why === 'max-iterations' && { exitCode: ExitCode.maxIterations }),
    iterations: run.iterations,
    startedAt: end.startedAt,
    endedAt: new Date().toISOString(),
    errors: [run.detail, refusal, ...said.errors].filter((text) => text !== undefined),
    outputs: said.outputs,
    metadata: {
      why: run.why,
      ...usageFields(run.usage),
      ...(run.runId !== runId && { last_run_id: run.runId }),
      ...(commit && { commit }),
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
    endedAt: record.endedAt,
    ...(commit && { commit }),
    ...(record.report && { report: record.report }),
    ...(refusal && { fault: refusal }),
    ...(words && { words }),
    outputs: declaredOutputs(place, agent.outputs, record.outputs),
    outputDir: outputFolder(place, agent.type),
  };
}

/** One line of it: it stands on the board's screen and in histories. */
async function beginningOf(report: string | undefined): Promise<string | undefined> {
  const text = report && (await readIfThere(report));
  if (!text) return undefined;
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS - 1)}…` : line;
}

const MAX_WORDS = 300;
