import { ApplicationFailure } from '@temporalio/activity';
import type { RunPlace } from '../workflows/domain/agent.ts';
import { WiggumError } from '../workflows/domain/errors.ts';
import { runAgent } from './agent/run-agent.ts';
import { moveMarkers } from './board/move-markers.ts';
import { runBuiltIn } from './built-in/run-built-in.ts';
import { runChecks } from './checks/run-checks.ts';
import type { HostDependencies } from './dependencies.ts';
import { mergePullRequest } from './forge/local/merge-pull-request.ts';
import { openPullRequest } from './forge/local/open-pull-request.ts';
import { rebaseBranch } from './forge/local/rebase-branch.ts';
import { removeWorkspace } from './git/remove-workspace.ts';
import { spoiltFolder } from './spoilt-folder.ts';
import { beginStep } from './step/begin-step.ts';
import { endStep } from './step/end-step.ts';
import { runHooks } from './step/run-hooks.ts';
import { finishWork } from './task/finish-work.ts';
import { prepareTask } from './task/prepare-task.ts';
import { recordTask } from './task/record-task.ts';
import { writeFailure } from './task/write-failure.ts';

export type HostActivities = ReturnType<typeof createHostActivities>;
export type AgentActivities = ReturnType<typeof createAgentActivities>;

/** Work where the project lies: board, files, git, pull requests, checks. Names as the workflows call them. */
export function createHostActivities(host: HostDependencies) {
  return {
    moveMarkers: named(moveMarkers),
    prepareTask: named((input: Parameters<typeof prepareTask>[0]) => prepareTask(input, host)),
    beginStep: named(beginStep),
    runHooks: named((order: Parameters<typeof runHooks>[0]) => runHooks(order, host)),
    runBuiltIn: named(runBuiltIn),
    endStep: named(endStep),
    finishWork: named(finishWork),
    runChecks: named((order: Parameters<typeof runChecks>[0]) => runChecks(order, host)),
    openPullRequest: named(openPullRequest),
    mergePullRequest: named(mergePullRequest),
    rebaseBranch: named(rebaseBranch),
    removeWorkspace: named(({ place }: { place: RunPlace }) => removeWorkspace(place)),
    writeFailure: named(writeFailure),
    recordTask: named(recordTask),
  };
}

/** Agent runs, on a queue of their own. */
export function createAgentActivities(host: HostDependencies) {
  return {
    runAgent: named((turn: Parameters<typeof runAgent>[0]) => runAgent(turn, host)),
  };
}

/** Errors of ours reach the server under their code, which says whether trying again can help. */
function named<Input, Output>(
  activity: (input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  return async (input) => {
    try {
      return await activity(input);
    } catch (cause) {
      const place = placeIn(input);
      const error = place ? await spoiltFolder(cause, place) : cause;
      if (!(error instanceof WiggumError)) throw error;
      const where = error.where ? ` (${error.where})` : '';
      throw ApplicationFailure.create({
        message: `${error.message}${where}`.slice(0, MAX_MESSAGE),
        type: error.code,
        nonRetryable: !error.retryable,
        cause: error,
      });
    }
  };
}

/** Where the task run lives that an activity is for; the board's own activities have none. */
function placeIn(input: unknown): RunPlace | undefined {
  return (input as { place?: RunPlace }).place;
}

/** Failures are kept in histories. */
const MAX_MESSAGE = 2_000;
