import type { RunPlace } from '../../workflows/domain/agent.ts';
import { logActivity } from '../agent/activity-log.ts';
import { takeCheckpoint } from '../git/checkpoint.ts';
import { enterWorkspace } from '../git/task-repository.ts';

export interface StepBegin {
  place: RunPlace;
  runId: string;
  step: string;
  agent: string;
  readonly: boolean;
}

export interface StepBegun {
  startedAt: string;
  /** Commit that a readonly step is put back to. */
  checkpoint?: string;
}

/** Makes ready for an agent: the workspace is there, and a readonly step can be undone. */
export async function beginStep(begin: StepBegin): Promise<StepBegun> {
  const { place, runId, step, agent } = begin;
  await enterWorkspace(place);
  const taken = begin.readonly ? await takeCheckpoint(place, runId) : undefined;
  await logActivity(
    place,
    'step.started',
    { step_id: step, agent, run_id: runId },
    `${runId}:started`,
  );
  return { startedAt: new Date().toISOString(), ...(taken && { checkpoint: taken.commit }) };
}
