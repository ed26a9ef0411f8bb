import { tidyActivities } from './activities.ts';
import type { GateResult } from './domain/steps.ts';
import type { PreparedTask } from './domain/task.ts';
import type { TaskInput } from './domain/task-input.ts';
import { reasonOf } from './failure-reason.ts';
import type { TaskStory } from './task-story.ts';

export interface TaskEnd {
  result: GateResult;
  reason?: string;
  pullRequestUrl: string | undefined;
  commit?: string;
}

/** Leaves the run's own result record: for people and tools, nothing of ours waits for it. */
export async function recordEnd(
  { hostId, taskId }: TaskInput,
  story: TaskStory,
  { place, branch }: PreparedTask,
  { result, reason, pullRequestUrl, commit }: TaskEnd,
): Promise<void> {
  const { steps, startedAt } = story.status;
  try {
    await tidyActivities(hostId, `${taskId} · record`).recordTask({
      place,
      startedAt,
      result,
      ...(reason && { reason }),
      outputs: {
        branch,
        ...(pullRequestUrl && { pr_url: pullRequestUrl }),
        ...(commit && { commit_sha: commit }),
      },
      steps,
    });
  } catch (error) {
    story.say(`${story.status.why}; its record could not be written: ${reasonOf(error)}`);
  }
}
