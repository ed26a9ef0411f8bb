import { checkActivities, hostActivities } from './activities.ts';
import type { PullRequest } from './domain/pull-request.ts';
import { finalFault, type PreparedTask } from './domain/task.ts';
import type { TaskInput } from './domain/task-input.ts';
import type { TaskStory } from './task-story.ts';

/**
 * Proves that the work is done, then makes a pull request of it; a string says what is missing.
 * `earlier` counts the steps of rounds before this one.
 */
export async function makePullRequest(
  { hostId, title }: TaskInput,
  story: TaskStory,
  { place, pipeline, checks, target }: PreparedTask,
  earlier: number,
): Promise<PullRequest | string> {
  const { steps } = story.status;
  const host = (what: string) => hostActivities(hostId, `${place.taskId} · ${what}`);
  story.enter('finalization');
  story.say('the work is being checked');
  const work = await host('finalise').finishWork({ place, title });
  const fault = finalFault({
    ...work,
    steps: steps.slice(earlier),
    stepIds: pipeline.steps.map((step) => step.id),
  });
  if (fault) return fault;
  if (!work.changed) return 'the pipeline ended well, but nothing was changed';
  if (checks.length > 0) {
    story.say(`runs the project's checks: ${checks.join(', ')}`);
    const checked = await checkActivities(hostId, `${place.taskId} · checks`).runChecks({
      place,
      commands: checks,
      purpose: 'before-pull-request',
    });
    if (!checked.ok)
      return `\`${checked.failed}\` fails (exit ${checked.exitCode}); see ${checked.log}`;
  }
  return host('pull request').openPullRequest({ place, title, target, steps });
}
