import { CancellationScope, condition, isCancellation, workflowInfo } from '@temporalio/workflow';
import { checkActivities, hostActivities, tidyActivities } from './activities.ts';
import type { MergeOutcome } from './domain/merge.ts';
import type { PullRequest } from './domain/pull-request.ts';
import { finalFault, type PreparedTask, type TaskResult, type TaskStatus } from './domain/task.ts';
import type { TaskInput } from './domain/task-input.ts';
import { reasonOf } from './failure-reason.ts';
import { joinTrain, leaveTrain } from './merge-train.ts';
import { runPipeline, type Begun } from './pipeline.ts';
import { TaskStory } from './task-story.ts';

/** What a person or a supervisor wants of a running task. */
export type Order =
  { kind: 'abort'; by: string } | { kind: 'restart'; by: string; from: string | undefined };

/** Longer than a merge takes with its rebase; a check suite may take longer, and asking again is harmless. */
const SILENCE_MS = 10 * 60_000;

/** Drives one task through its life; messages reach it between two steps of that. */
export class TaskRun {
  private readonly story: TaskStory;
  private prepared: PreparedTask | undefined;
  private given: Order | undefined;
  private scope: CancellationScope | undefined;
  private approvedBy: string | undefined;
  private readonly begun: Begun = { lastEpoch: 0, visits: {}, memory: {} };
  /** Whether the merge train owes us an answer. */
  private inTrain = false;
  private settled: MergeOutcome | undefined;
  /** The last word is being written: orders come too late. */
  private isEnding = false;

  constructor(private readonly input: TaskInput) {
    this.story = new TaskStory(input);
  }

  get status(): TaskStatus {
    return this.story.status;
  }

  order(order: Order): void {
    if (this.isEnding) return;
    this.given = order;
    this.scope?.cancel();
  }

  approve(by: string): void {
    this.approvedBy = by;
  }

  hear(outcome: MergeOutcome): void {
    this.settled = outcome;
  }

  whyNoOrder(): string | undefined {
    return this.isEnding ? `${this.input.taskId} is ending: ${this.status.why}` : undefined;
  }

  whyNoStep(from: string | undefined): string | undefined {
    const pipeline = this.prepared?.pipeline;
    if (!from || !pipeline || pipeline.steps.some((step) => step.id === from)) return undefined;
    const known = pipeline.steps.map((step) => step.id).join(', ');
    return `pipeline ${pipeline.name} has no step ${from}; it has ${known}`;
  }

  whyNoMerge(): string | undefined {
    const { pullRequest, state, why } = this.status;
    if (pullRequest !== undefined && state === 'needs_merge') return undefined;
    return `${this.input.taskId} has no pull request that waits: ${why}`;
  }

  async toTheEnd(): Promise<TaskResult> {
    let restart: Extract<Order, { kind: 'restart' }> | undefined;
    for (;;) {
      const order = restart;
      this.scope = new CancellationScope();
      try {
        return await this.scope.run(() => this.drive(order));
      } catch (error) {
        const merged = await CancellationScope.nonCancellable(() => this.getOffTheTrain());
        if (merged) return merged;
        const wish = this.takeOrder();
        if (isCancellation(error) && wish?.kind === 'restart') {
          restart = wish;
          continue;
        }
        const aborted = isCancellation(error);
        const reason = aborted ? `aborted by ${wish?.by ?? 'Cancel'}` : reasonOf(error);
        const failed = await CancellationScope.nonCancellable(() => this.fail(reason, aborted));
        // Cancel from the Temporal UI must look cancelled there; an abort is an ordinary end.
        if (aborted && !wish) throw error;
        return failed;
      }
    }
  }

  private async drive(
    restart: Extract<Order, { kind: 'restart' }> | undefined,
  ): Promise<TaskResult> {
    const { hostId, settings } = this.input;
    const from = restart ? restart.from : this.input.from;
    // What was asked of an earlier round does not hold for this one.
    this.approvedBy = undefined;
    delete this.status.pullRequest;
    this.status.needsHuman = false;
    this.story.enter(undefined);
    if (restart) await this.story.live('user.full_reset');
    else await this.story.live('worker.spawned', { tell: false });
    this.story.say('the workspace is being made');
    const prepared = await this.host('prepare').prepareTask(this.input);
    this.prepared = prepared;
    Object.assign(this.status, { workerDir: prepared.place.workerDir, branch: prepared.branch });
    const unknown = this.whyNoStep(from);
    if (unknown) return this.fail(unknown);
    const earlier = this.status.steps.length;
    const { fault, outOfIterations = false } = await runPipeline({
      hostId,
      prepared,
      settings,
      ...(from && { from }),
      records: this.status.steps,
      begun: this.begun,
      progress: ({ step, doing, ...at }) => {
        this.story.enter(step, at);
        this.story.say(doing);
      },
    });
    this.status.outOfIterations = outOfIterations;
    if (fault) return this.fail(fault);
    const pullRequest = await this.finalise(prepared, earlier);
    if (typeof pullRequest === 'string') return this.fail(pullRequest);
    return this.merge(pullRequest);
  }

  /** Proves that the work is done, then makes a pull request of it; a string says what is missing. */
  private async finalise(prepared: PreparedTask, earlier: number): Promise<PullRequest | string> {
    const { place, pipeline, checks } = prepared;
    const { title, hostId } = this.input;
    this.story.enter('finalization');
    this.story.say('the work is being checked');
    const work = await this.host('finalise').finishWork({ place, title });
    const fault = finalFault({
      ...work,
      steps: this.status.steps.slice(earlier),
      stepIds: pipeline.steps.map((step) => step.id),
    });
    if (fault) return fault;
    if (!work.changed) return 'the pipeline ended well, but nothing was changed';
    if (checks.length > 0) {
      this.story.say(`runs the project's checks: ${checks.join(', ')}`);
      const checked = await checkActivities(hostId, `${place.taskId} · checks`).runChecks({
        place,
        commands: checks,
        purpose: 'before-pull-request',
      });
      if (!checked.ok)
        return `\`${checked.failed}\` fails (exit ${checked.exitCode}); see ${checked.log}`;
    }
    const { steps } = this.status;
    return this.host('pull request').openPullRequest({
      place,
      title,
      target: prepared.target,
      steps,
    });
  }

  private async merge({ number }: PullRequest): Promise<TaskResult> {
    const { autoMerge } = this.input.settings;
    const { taskId } = this.input;
    this.story.enter(undefined);
    Object.assign(this.status, { pullRequest: number, needsHuman: !autoMerge });
    this.story.say(
      autoMerge
        ? `pull request ${number} waits for its turn to be merged`
        : `pull request ${number} waits for a person: wiggum pr merge ${taskId}`,
    );
    await this.story.live('worker.completion');
    await condition(() => autoMerge || this.approvedBy !== undefined);
    this.status.needsHuman = false;
    // The board must hear only that nobody is waited for any more.
    await this.story.live('merge.start', { tell: !autoMerge });
    this.story.say(`pull request ${number} is being merged`);
    this.settled = undefined;
    this.inTrain = true;
    // Once asked, the train answers: a cancellation waits for that answer instead of losing it.
    await CancellationScope.nonCancellable(() => this.join());
    return this.afterMerge(await this.answer(() => this.join()));
  }

  private async join(): Promise<void> {
    const { project, hostId, title } = this.input;
    const { prepared, status } = this;
    if (!prepared || status.pullRequest === undefined) return;
    const { place, target, checks } = prepared;
    await joinTrain({
      project,
      hostId,
      request: {
        taskWorkflowId: workflowInfo().workflowId,
        place,
        pullRequest: status.pullRequest,
        title,
        target,
        checks,
      },
    });
  }

  private async afterMerge(outcome: MergeOutcome): Promise<TaskResult> {
    if (outcome.kind === 'conflict') {
      await this.story.live('merge.conflict', { tell: false });
      return this.fail(`merge conflict in ${outcome.files.join(', ')}`);
    }
    if (outcome.kind !== 'merged') return this.fail(outcome.reason);
    this.story.say(`merged as ${outcome.commit.slice(0, 10)}`);
    // The merge stands whatever comes now: not even a cancellation leaves the board behind.
    this.isEnding = true;
    return CancellationScope.nonCancellable(async () => {
      await this.cleanUp();
      await this.story.live('merge.succeeded', { ended: true });
      return { kind: 'merged', commit: outcome.commit, costUsd: this.status.costUsd };
    });
  }

  /** What cannot be removed stays where it is: it says nothing about the merge. */
  private async cleanUp(): Promise<void> {
    const { hostId, taskId } = this.input;
    if (!this.prepared) return;
    const { place } = this.prepared;
    try {
      await tidyActivities(hostId, `${taskId} · clean up`).removeWorkspace({ place });
    } catch (error) {
      this.story.say(`${this.status.why}; ${place.workspace} was left: ${reasonOf(error)}`);
    }
  }

  /** Waits for the train's last word; a `waits` only changes what people see. */
  private async answer(onSilence: () => Promise<unknown>): Promise<MergeOutcome> {
    for (;;) {
      // A train that was terminated answers nobody: after a long silence it is asked again.
      if (!(await condition(() => this.settled !== undefined, SILENCE_MS))) await onSilence();
      const outcome = this.settled;
      if (outcome && outcome.kind !== 'waits') {
        this.inTrain = false;
        delete this.status.mergeWaits;
        this.status.needsHuman = false;
        return outcome;
      }
      this.settled = undefined;
      if (!outcome) continue;
      const { reason } = outcome;
      this.status.needsHuman = true;
      this.status.mergeWaits = { reason, times: (this.status.mergeWaits?.times ?? 0) + 1 };
      this.story.say(`the merge waits: ${reason}`);
    }
  }

  /** Gives up the place in the train; a merge that had happened already stands. */
  private async getOffTheTrain(): Promise<TaskResult | undefined> {
    if (!this.inTrain) return undefined;
    const { project } = this.input;
    const leave = async () => {
      const target = this.prepared?.target ?? '';
      const isHeard = await leaveTrain(project, target, workflowInfo().workflowId);
      if (!isHeard) this.settled ??= { kind: 'failed', reason: 'the merge train is gone' };
    };
    await leave();
    const outcome = await this.answer(leave);
    return outcome.kind === 'merged' ? this.afterMerge(outcome) : undefined;
  }

  private async fail(reason: string, aborted = false): Promise<TaskResult> {
    this.isEnding = true;
    this.status.needsHuman = true;
    this.story.say(reason);
    const { steps, costUsd } = this.status;
    const told = await this.host('failure')
      .writeFailure({ ...this.input, reason, steps })
      .then(() => reason)
      .catch(
        (error: unknown) => `${reason}; its reason file could not be written: ${reasonOf(error)}`,
      );
    await this.story.live(aborted ? 'resume.abort' : 'worker.failure', {
      ended: true,
      reason: told,
    });
    return { kind: 'failed', reason: told, costUsd };
  }

  private takeOrder(): Order | undefined {
    const order = this.given;
    this.given = undefined;
    return order;
  }

  private host(what: string) {
    return hostActivities(this.input.hostId, `${this.input.taskId} · ${what}`);
  }
}
