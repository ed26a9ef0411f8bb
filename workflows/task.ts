import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { checkActivities, hostActivities } from './activities.ts';
import {
  abortSignal,
  abortUpdate,
  boardWorkflowId,
  mergeSettledSignal,
  mergeUpdate,
  restartSignal,
  restartUpdate,
  taskMovedSignal,
  taskStatusQuery,
} from './contract.ts';
import { transition, type LifecycleEvent } from './domain/lifecycle.ts';
import type { MergeOutcome } from './domain/merge.ts';
import type { PullRequest } from './domain/pull-request.ts';
import { finalFault, type PreparedTask, type TaskResult, type TaskStatus } from './domain/task.ts';
import type { TaskInput } from './domain/task-input.ts';
import { reasonOf } from './failure-reason.ts';
import { joinTrain, leaveTrain } from './merge-train.ts';
import { runPipeline } from './pipeline.ts';
import { detailsText } from './task-details.ts';

type Order = { kind: 'abort'; by: string } | { kind: 'restart'; by: string; from?: string };

/** One task: workspace → pipeline → pull request → merge. Ends merged, or failed with a reason. */
export async function taskWorkflow(input: TaskInput): Promise<TaskResult> {
  const run = new TaskRun(input);
  setHandler(taskStatusQuery, () => run.status);
  setHandler(abortSignal, (wish) => run.order({ kind: 'abort', by: wish?.by ?? 'a signal' }));
  setHandler(restartSignal, (wish) =>
    run.order({
      kind: 'restart',
      by: wish?.by ?? 'a signal',
      ...(wish?.from && { from: wish.from }),
    }),
  );
  setHandler<string, [{ by?: string }?], string>(
    abortUpdate,
    (wish) => {
      run.order({ kind: 'abort', by: wish?.by ?? 'a person' });
      return `${input.taskId} is being ended`;
    },
    { validator: () => run.refuseDuringMerge() },
  );
  setHandler<string, [{ from?: string; by?: string }?], string>(
    restartUpdate,
    (wish) => {
      run.order({
        kind: 'restart',
        by: wish?.by ?? 'a person',
        ...(wish?.from && { from: wish.from }),
      });
      return `${input.taskId} begins again${wish?.from ? ` at ${wish.from}` : ''}`;
    },
    {
      validator: (wish) => {
        run.refuseDuringMerge();
        run.refuseUnknownStep(wish?.from);
      },
    },
  );
  setHandler<string, [{ by: string }], string>(
    mergeUpdate,
    ({ by }) => {
      run.approvedBy = by;
      return `${input.taskId} joins the merge train`;
    },
    { validator: () => run.refuseUnlessMergeable() },
  );
  setHandler(mergeSettledSignal, (outcome) => run.hear(outcome));
  return run.toTheEnd();
}

class TaskRun {
  readonly status: TaskStatus;
  approvedBy: string | undefined;
  private prepared: PreparedTask | undefined;
  private given: Order | undefined;
  private scope: CancellationScope | undefined;
  private settled: MergeOutcome | undefined;

  constructor(private readonly input: TaskInput) {
    this.status = {
      task: input.taskId,
      title: input.title,
      epoch: input.epoch,
      state: 'none',
      why: 'starts',
      needsHuman: false,
      startedAt: new Date(input.epoch * 1000).toISOString(),
      costUsd: 0,
      turns: 0,
      steps: [],
    };
  }

  async toTheEnd(): Promise<TaskResult> {
    let from = this.input.from;
    let again = false;
    for (;;) {
      const beginAt = from;
      const isRestart = again;
      this.scope = new CancellationScope();
      try {
        return await this.scope.run(() => this.drive(beginAt, isRestart));
      } catch (error) {
        // Read anew: a handler may have set it while the work ran.
        const order = this.takeOrder();
        if (isCancellation(error) && order?.kind === 'restart') {
          from = order.from;
          again = true;
          continue;
        }
        const cancelled = isCancellation(error);
        const reason = cancelled ? `aborted by ${order?.by ?? 'Cancel'}` : reasonOf(error);
        const result = await CancellationScope.nonCancellable(() => this.fail(reason, cancelled));
        // Cancel from the Temporal UI must look cancelled there; an abort is an ordinary end.
        if (cancelled && !order && result.kind === 'failed') throw error;
        return result;
      }
    }
  }

  private async drive(from: string | undefined, isRestart: boolean): Promise<TaskResult> {
    const { hostId, settings } = this.input;
    if (isRestart) await this.emit('resume.retry');
    else await this.emit('worker.spawned', { tell: false });
    this.say('the workspace is being made');
    const prepared = await this.host('prepare').prepareTask(this.input);
    this.prepared = prepared;
    this.status.workerDir = prepared.place.workerDir;
    this.status.branch = prepared.branch;
    const earlier = this.status.steps.length;
    const { fault } = await runPipeline({
      hostId,
      prepared,
      settings,
      ...(from && { from }),
      records: this.status.steps,
      progress: ({ step, visit, iteration, sessionId, doing }) => {
        const moved = this.status.step !== step;
        Object.assign(this.status, { step, visit, iteration, sessionId });
        this.addUp();
        this.say(doing, moved);
      },
    });
    this.addUp();
    if (fault) return this.fail(fault);
    const pullRequest = await this.finalise(prepared, earlier);
    if (typeof pullRequest === 'string') return this.fail(pullRequest);
    return this.merge(prepared, pullRequest);
  }

  /** Proves that the work is done, then makes a pull request of it; a string says what is missing. */
  private async finalise(prepared: PreparedTask, earlier: number): Promise<PullRequest | string> {
    const { place, pipeline, checks } = prepared;
    this.status.step = 'finalization';
    this.say('the work is being checked', true);
    const work = await this.host('finalise').finishWork({ place, title: this.input.title });
    const fault = finalFault({
      ...work,
      steps: this.status.steps.slice(earlier),
      stepIds: pipeline.steps.map((step) => step.id),
    });
    if (fault) return fault;
    if (!work.changed) return 'the pipeline ended well, but nothing was changed';
    if (checks.length > 0) {
      this.say(`runs the project's checks: ${checks.join(', ')}`);
      const checked = await checkActivities(
        this.input.hostId,
        `${place.taskId} · checks`,
      ).runChecks({ place, commands: checks, purpose: 'before-pull-request' });
      if (!checked.ok)
        return `\`${checked.failed}\` fails (exit ${checked.exitCode}); see ${checked.log}`;
    }
    return this.host('pull request').openPullRequest({
      place,
      title: this.input.title,
      target: prepared.target,
      steps: this.status.steps,
    });
  }

  private async merge(prepared: PreparedTask, pullRequest: PullRequest): Promise<TaskResult> {
    const { autoMerge } = this.input.settings;
    this.status.pullRequest = pullRequest.number;
    delete this.status.step;
    this.status.needsHuman = !autoMerge;
    this.say(
      autoMerge
        ? `pull request ${pullRequest.number} waits for its turn to be merged`
        : `pull request ${pullRequest.number} waits for a person: wiggum pr merge ${this.input.taskId}`,
      true,
    );
    await this.emit('worker.completion');
    await condition(() => autoMerge || this.approvedBy !== undefined);
    this.status.needsHuman = false;
    await this.emit('merge.start');
    this.say(`pull request ${pullRequest.number} is being merged`, true);
    this.settled = undefined;
    await joinTrain({
      project: this.input.project,
      hostId: this.input.hostId,
      request: {
        taskWorkflowId: workflowInfo().workflowId,
        place: prepared.place,
        pullRequest: pullRequest.number,
        title: this.input.title,
        target: prepared.target,
        checks: prepared.checks,
      },
    });
    return this.afterMerge(await this.answer());
  }

  private async afterMerge(outcome: MergeOutcome): Promise<TaskResult> {
    if (outcome.kind === 'conflict') {
      await this.emit('merge.conflict', { tell: false });
      return this.fail(`merge conflict in ${outcome.files.join(', ')}`);
    }
    if (outcome.kind !== 'merged') return this.fail(outcome.reason);
    this.say(`merged as ${outcome.commit.slice(0, 10)}`, true);
    // The merge stands whatever comes now: not even a cancellation leaves the board behind.
    return CancellationScope.nonCancellable(async () => {
      if (this.prepared)
        await this.host('clean up').removeWorkspace({ place: this.prepared.place });
      await this.emit('merge.succeeded', { ended: true });
      return { kind: 'merged', commit: outcome.commit, costUsd: this.status.costUsd };
    });
  }

  /** Waits for the train's last word; a `waits` only changes what people see. */
  private async answer(): Promise<MergeOutcome> {
    for (;;) {
      await condition(() => this.settled !== undefined);
      const outcome = this.settled;
      if (outcome && outcome.kind !== 'waits') return outcome;
      this.settled = undefined;
      if (outcome) this.say(`the merge waits: ${outcome.reason}`, true);
    }
  }

  private async fail(reason: string, aborted = false): Promise<TaskResult> {
    if (aborted && this.status.state === 'merging') {
      await leaveTrain(this.input.project, this.prepared?.target ?? '', workflowInfo().workflowId);
      const outcome = await this.answer();
      if (outcome.kind === 'merged') return this.afterMerge(outcome);
    }
    this.say(reason, true);
    this.status.needsHuman = true;
    await this.host('failure').writeFailure({ ...this.input, reason, steps: this.status.steps });
    await this.emit(aborted ? 'resume.abort' : 'worker.failure', { ended: true, reason });
    return { kind: 'failed', reason, costUsd: this.status.costUsd };
  }

  order(order: Order): void {
    if (this.status.state === 'merging' && this.settled === undefined) return;
    if (order.kind === 'restart' && !this.knowsStep(order.from)) return;
    this.given = order;
    this.scope?.cancel();
  }

  hear(outcome: MergeOutcome): void {
    this.settled = outcome;
  }

  refuseDuringMerge(): void {
    if (this.status.state === 'merging')
      throw new Error(`${this.input.taskId} is being merged at this moment`);
  }

  refuseUnknownStep(from: string | undefined): void {
    if (!this.knowsStep(from))
      throw new Error(
        `pipeline ${this.prepared?.pipeline.name} has no step ${from}; it has ${this.prepared?.pipeline.steps.map((step) => step.id).join(', ')}`,
      );
  }

  refuseUnlessMergeable(): void {
    if (this.status.pullRequest === undefined || this.status.state !== 'needs_merge')
      throw new Error(`${this.input.taskId} has no pull request that waits: ${this.status.why}`);
  }

  private knowsStep(from: string | undefined): boolean {
    return !from || !this.prepared || this.prepared.pipeline.steps.some((step) => step.id === from);
  }

  private takeOrder(): Order | undefined {
    const order = this.given;
    this.given = undefined;
    return order;
  }

  private host(what: string) {
    return hostActivities(this.input.hostId, `${this.input.taskId} · ${what}`);
  }

  private addUp(): void {
    this.status.costUsd = this.status.steps.reduce((sum, step) => sum + step.costUsd, 0);
    this.status.turns = this.status.steps.reduce((sum, step) => sum + step.turns, 0);
  }

  private say(why: string, show = false): void {
    this.status.why = why;
    setCurrentDetails(detailsText(this.status));
    if (show) this.index();
  }

  private index(): void {
    upsertSearchAttributes({
      WiggumState: [this.status.state],
      WiggumStep: [this.status.step ?? '-'],
      WiggumNeedsHuman: [this.status.needsHuman],
    });
  }

  private async emit(
    event: LifecycleEvent,
    {
      tell = true,
      ended = false,
      reason,
    }: { tell?: boolean; ended?: boolean; reason?: string } = {},
  ): Promise<void> {
    const next = transition(this.status.state, event);
    this.status.state = next.state;
    this.index();
    if (!tell) return;
    const { project, taskId, epoch, ralphDir } = this.input;
    try {
      await getExternalWorkflowHandle(boardWorkflowId(project)).signal(taskMovedSignal, {
        task: taskId,
        epoch,
        ...(next.marker && { marker: next.marker }),
        needsHuman: this.status.needsHuman,
        ended,
        ...(reason && { reason }),
      });
    } catch (error) {
      if (isCancellation(error)) throw error;
      // Somebody terminated the board's workflow; the file must still tell the truth.
      if (next.marker)
        await this.host('marker').moveMarkers({
          ralphDir,
          moves: [{ id: taskId, marker: next.marker }],
        });
    }
  }
}
