import type { RunPlace } from '../../workflows/domain/agent.ts';
import { DEFAULT_MAPPINGS, own, type GateResult } from '../../workflows/domain/steps.ts';
import type { StepRecord } from '../../workflows/domain/task.ts';
import { sumUsage } from '../../workflows/domain/usage.ts';
import { TASK_WORKER } from '../../config/built-in-agents.ts';
import { writtenFiles } from '../../config/worker-files.ts';
import { logActivity } from '../agent/activity-log.ts';
import { writeResult } from '../agent/result-record.ts';
import { usageFields } from '../agent/usage-fields.ts';
import { notWritable } from '../not-writable.ts';

export interface EndedTask {
  place: RunPlace;
  startedAt: string;
  result: GateResult;
  reason?: string;
  outputs: { pr_url?: string; branch: string; commit_sha?: string; plan_file?: string };
  steps: readonly StepRecord[];
}

/** Puts the end of a task run on record; one that is restarted after its end gets another record. */
export async function recordTask(task: EndedTask): Promise<void> {
  const { place, startedAt, result, reason, steps } = task;
  const epoch = Math.floor(Date.parse(startedAt) / 1_000);
  try {
    const record = await writeResult({
      place,
      epoch,
      agentType: TASK_WORKER,
      runId: `task-${epoch}`,
      result,
      mapping: own(DEFAULT_MAPPINGS, result),
      iterations: steps.reduce((sum, { iterations }) => sum + iterations, 0),
      startedAt,
      endedAt: new Date().toISOString(),
      errors: reason === undefined ? [] : [reason],
      outputs: withoutGaps(task.outputs),
      metadata: { ...usageFields(sumUsage(steps)), phases: phasesOf(steps) },
    });
    await logActivity(
      place,
      'task.completed',
      { result, ...(reason !== undefined && { reason }) },
      `task:completed-${record.epoch}`,
    );
  } catch (cause) {
    throw notWritable(cause, 'the record of the task', place.workerDir);
  }
}

/** How often a task run has ended: tells its starts apart. */
export async function countEnds({ workerDir }: RunPlace): Promise<number> {
  return (await writtenFiles(workerDir, ({ agentType }) => agentType === TASK_WORKER)).length;
}

interface Phase {
  start: string;
  end: string;
  /** Time of all visits; what lies between them is not counted. */
  duration_s: number;
  visits: number;
  result: GateResult;
}

function phasesOf(steps: readonly StepRecord[]): Record<string, Phase> {
  const phases: Record<string, Phase> = {};
  for (const { step, startedAt, endedAt, result } of steps) {
    const before = own(phases, step);
    const milliseconds = Math.max(0, Date.parse(endedAt) - Date.parse(startedAt));
    phases[step] = {
      start: before?.start ?? startedAt,
      end: endedAt,
      duration_s: (before?.duration_s ?? 0) + Math.round(milliseconds / 1_000),
      visits: (before?.visits ?? 0) + 1,
      result,
    };
  }
  return phases;
}

function withoutGaps(outputs: EndedTask['outputs']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(outputs).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
