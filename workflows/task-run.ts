import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import { hostActivities, tidyActivities } from './activities.ts';
import type { Steered } from './contract.ts';
import type { MergeOutcome } from './domain/merge.ts';
import type { PullRequest } from './domain/pull-request.ts';
import type { GateResult } from './domain/steps.ts';
import type { PreparedTask, TaskResult, TaskStatus } from './domain/task.ts';
import type { TaskInput } from './domain/task-input.ts';
import { reasonOf } from './failure-reason.ts';
import { makePullRequest } from './make-pull-request.ts';
import { runPipeline } from './pipeline.ts';
import type { Begun } from './pipeline-run.ts';
import { recordEnd, type TaskEnd } from './record-end.ts';
import { Steering } from './steering.ts';
import { TaskStory } from './task-story.ts';
import { TrainPassenger } from './train-passenger.ts';

/** What a person or a supervisor wants of a running task. */
export type Order =
  { kind: 'abort'; by: string } | { kind: 'restart'; by: string; from: string | undefined };

type StepMerge = { result: GateResult; detail?: string };

/** Drives one task through its life; messages reach it between two steps of that. */
export class TaskRun {
  private readonly story: TaskStory;
  private prepared: PreparedTask | undefined;
  private given: Order | undefined;
  private scope: CancellationScope | undefined;
  private approvedBy: string | undefined;
  private readonly begun: Begun = { lastEpoch: 0, visits: {}, memory: {}, outputs: {} };
  private readonly steering = new Steering();
  private readonly passenger: TrainPassenger;
  private pullRequestUrl: string | undefined;
  /** A step of the pipeline has merged the work already. */
  private merged: Extract<MergeOutcome, { kind: 'merged' }> | undefined;
  /** The last word is being written: orders come too late. */
  private isEnding = false;

  constructor(private readonly input: TaskInput) {
    this.story = new TaskStory(input);
    this.passenger = new TrainPassenger(input, this.story);
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
    this.passenger.hear(outcome);
  }

  /** Guidance for the next iteration of an agent. */
  steer(text: string): number {
    return this.steering.add(text);
  }

  steered(number: number): Steered | null {
    return this.steering.fateOf(number) ?? null;
  }

  whyNoSteering(text: string): string | undefined {
    const { pullRequest, why } = this.status;
    if (this.isEnding || pullRequest !== undefined)
      return `${this.input.taskId} has no agent that could hear it: ${why}`;
    return this.steering.whyNoMore(text);
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
        const merged = await CancellationScope.nonCancellable(() => this.mergedAlready());
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
    const { hostId, title, settings } = this.input;
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
      title,
      prepared,
      settings,
      ...(from && { from }),
      records: this.status.steps,
      begun: this.begun,
      steering: this.steering,
      pullRequestUrl: () => this.pullRequestUrl,
      merge: () => this.mergeAsStep(prepared, earlier),
      progress: ({ step, doing, ...at }) => {
        this.story.enter(step, at);
        this.story.say(doing);
      },
    });
    this.status.outOfIterations = outOfIterations;
    if (this.merged) return this.afterMerge(this.merged);
    if (fault) return this.fail(fault);
    const pullRequest = await this.finalise(prepared, earlier);
    if (typeof pullRequest === 'string') return this.fail(pullRequest);
    return this.merge(prepared, pullRequest);
  }

  private async finalise(prepared: PreparedTask, earlier: number): Promise<PullRequest | string> {
    const made = await makePullRequest(this.input, this.story, prepared, earlier);
    if (typeof made !== 'string') this.pullRequestUrl = made.url;
    return made;
  }

  private async merge(prepared: PreparedTask, { number }: PullRequest): Promise<TaskResult> {
    const { autoMerge } = this.input.settings;
    const { taskId } = this.input;
    this.story.enter(undefined);
    Object.assign(this.status, { pullRequest: number, needsHuman: !autoMerge });
    this.steering.drop(`pull request ${number} is made, no agent of ${taskId} comes any more`);
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
    return this.afterMerge(await this.passenger.ride(prepared, number));
  }

  /** Merges within the pipeline: whoever chose a pipeline with such a step has asked for it. */
  private async mergeAsStep(prepared: PreparedTask, earlier: number): Promise<StepMerge> {
    const pullRequest = await this.finalise(prepared, earlier);
    if (typeof pullRequest === 'string') return { result: 'FAIL', detail: pullRequest };
    const { number } = pullRequest;
    await this.story.live('merge.start', { tell: false });
    this.story.say(`pull request ${number} is being merged`);
    const outcome = await this.passenger.ride(prepared, number);
    if (outcome.kind === 'merged') {
      this.merged = outcome;
      return { result: 'PASS' };
    }
    await this.story.live('merge.out_of_date', { tell: false });
    const detail =
      outcome.kind === 'conflict' ? `conflict in ${outcome.files.join(', ')}` : outcome.reason;
    return { result: 'FAIL', detail };
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
      await this.record({ result: 'PASS', commit: outcome.commit });
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

  /** A merge that had happened before somebody wanted something else stands. */
  private async mergedAlready(): Promise<TaskResult | undefined> {
    const outcome = (await this.passenger.getOff()) ?? this.merged;
    return outcome?.kind === 'merged' ? this.afterMerge(outcome) : undefined;
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
    await this.record({ result: 'FAIL', reason: told });
    await this.story.live(aborted ? 'resume.abort' : 'worker.failure', {
      ended: true,
      reason: told,
    });
    return { kind: 'failed', reason: told, costUsd };
  }

  private async record(end: Omit<TaskEnd, 'pullRequestUrl'>): Promise<void> {
    this.steering.drop(`${this.input.taskId} has ended: ${this.status.why}`);
    const { input, story, prepared, pullRequestUrl } = this;
    if (prepared) await recordEnd(input, story, prepared, { ...end, pullRequestUrl });
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
