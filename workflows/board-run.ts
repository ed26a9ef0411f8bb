import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { hostActivities } from './activities.ts';
import { boardText, markersText } from './board-details.ts';
import {
  freshBoard,
  type BoardInput,
  type Carried,
  type MarkerMove,
  type PendingOrder,
} from './board-input.ts';
import { knockSignal, mergeSignal, taskWorkflowId } from './contract.ts';
import { nextWaited } from './domain/ageing.ts';
import type { Card, Marker } from './domain/board.ts';
import { describeReason, invalidTasks, schedule, type Schedule } from './domain/schedule.ts';
import type {
  BoardSnapshot,
  BoardStatus,
  OpenTask,
  StartOrder,
  SweepSettings,
  TaskMove,
} from './domain/sweep.ts';
import { reasonOf } from './failure-reason.ts';
import { startTask } from './start-task.ts';

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 30_000;

/** Drives one board: hears, writes, decides, starts. */
export class BoardRun {
  private settings: SweepSettings;
  private state: Carried;
  private snapshot: BoardSnapshot = { hash: '', cards: [], archived: [], problems: [] };
  private plan: Schedule | undefined;
  private moves: TaskMove[] = [];
  private orders: PendingOrder[] = [];
  private trouble: string | undefined;
  private runEnded = false;
  /** A sweep that merges unasked has come: pull requests that wait for a person are let go. */
  private approveWaiting = false;
  /** Something happened that asks for another look at the board. */
  private stirred = true;

  constructor(private readonly input: BoardInput) {
    this.settings = input.settings;
    this.state = input.carried ?? freshBoard();
  }

  async toTheEnd(): Promise<void> {
    if (this.input.carried) await this.knock();
    for (;;) {
      await condition(() => this.stirred);
      this.stirred = false;
      await this.look();
      await this.obey();
      if (this.state.sweeping) await this.pass();
      this.show();
      await condition(() => this.stirred || allHandlersFinished());
      if (this.stirred) continue;
      if (!this.state.sweeping && Object.keys(this.state.open).length === 0) return;
      await this.continueIfLong();
    }
  }

  sweep(settings: SweepSettings): { joined: boolean } {
    const joined = this.state.sweeping;
    this.settings = settings;
    this.state.sweeping = true;
    this.approveWaiting = settings.autoMerge;
    this.stirred = true;
    return { joined };
  }

  hear(move: TaskMove): void {
    this.moves.push(move);
    this.stirred = true;
  }

  refuseIfOpen(id: string): void {
    if (this.state.open[id] || this.orders.some((order) => order.id === id))
      throw ApplicationFailure.nonRetryable(`${id} runs already`, 'TASK_ALREADY_RUNS');
  }

  async take(wish: StartOrder): Promise<{ epoch: number }> {
    const order: PendingOrder = { ...wish };
    this.orders.push(order);
    this.stirred = true;
    await condition(() => order.settled !== undefined);
    const { settled } = order;
    if (!settled) throw ApplicationFailure.nonRetryable(`${wish.id} was not started`, 'REFUSED');
    if ('refusal' in settled) throw ApplicationFailure.nonRetryable(settled.refusal, settled.code);
    return settled;
  }

  status(): BoardStatus {
    const waits = new Map(this.plan?.waiting.map(({ id, why }) => [id, describeReason(why)]));
    const why = (id: string, marker: Marker) =>
      this.trouble ?? this.state.failures[id] ?? (marker === ' ' ? (waits.get(id) ?? '') : '');
    return {
      sweeping: this.state.sweeping,
      settings: this.settings,
      cards: this.snapshot.cards.map(({ id, title, marker, priority, line }) => {
        const open = this.state.open[id] !== undefined;
        return { id, title, marker, priority, line, open, why: why(id, marker) };
      }),
      cycles: this.plan?.cycles ?? [],
      problems: this.snapshot.problems,
    };
  }

  /** Writes what tasks reported, and reads the board in the same breath. */
  private async look(): Promise<void> {
    const moves = this.moves;
    this.moves = [];
    for (const move of moves) this.book(move);
    for (const { task, marker } of moves)
      if (marker) this.state.unwritten.push({ id: task, marker });
    const { unwritten } = this.state;
    await this.write(unwritten);
    this.state.unwritten = [];
  }

  private book({ task, epoch, marker, needsHuman, ended, reason }: TaskMove): void {
    const before = this.state.open[task];
    if (ended) {
      delete this.state.open[task];
      if (marker === 'x') this.state.merged.push(task);
      this.runEnded = true;
    } else {
      const working = marker === '=' || (marker === undefined && before?.working === true);
      if (before?.working && !working) this.runEnded = true;
      this.state.open[task] = { epoch, working, needsHuman };
    }
    if (reason) this.state.failures[task] = reason;
    else delete this.state.failures[task];
  }

  /** A board that cannot be read or written is waited for: tasks that run go on meanwhile. */
  private async write(moves: MarkerMove[]): Promise<void> {
    const { hostId, ralphDir } = this.input;
    const summary = moves.length > 0 ? markersText(moves) : 'read the board';
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        this.snapshot = await hostActivities(hostId, summary).moveMarkers({ ralphDir, moves });
        this.trouble = undefined;
        return;
      } catch (error) {
        this.trouble = reasonOf(error);
        this.show();
        await sleep(pauseMs, { summary: 'the board cannot be used; it is tried again' });
        if (allHandlersFinished() && this.moves.length === 0) await this.continueIfLong();
      }
    }
  }

  private async obey(): Promise<void> {
    for (const order of this.orders) {
      const card = this.snapshot.cards.find(({ id }) => id === order.id);
      if (!card) {
        order.settled = { refusal: `no task ${order.id} on the board`, code: 'TASK_UNKNOWN' };
        continue;
      }
      await this.write([{ id: card.id, marker: '=' }]);
      const epoch = await this.start(card, order);
      order.settled = epoch
        ? { epoch }
        : { refusal: `${card.id} runs already`, code: 'TASK_ALREADY_RUNS' };
    }
    this.orders = this.orders.filter((order) => order.settled === undefined);
  }

  /** One scheduling pass: start what fits, end the sweep when nothing is left to do by itself. */
  private async pass(): Promise<void> {
    await this.reclaim();
    await this.letGo();
    this.plan = this.decide();
    this.state.ageing = nextWaited(this.state.ageing, {
      schedule: this.plan,
      runEnded: this.runEnded,
    });
    this.runEnded = false;
    const { start } = this.plan;
    const chosen = start.flatMap((id) => this.snapshot.cards.find((card) => card.id === id) ?? []);
    if (chosen.length > 0) {
      await this.write(chosen.map(({ id }) => ({ id, marker: '=' as const })));
      for (const card of chosen) await this.start(card, { settings: this.settings });
      // Who waits for one of these now waits for something that runs.
      this.plan = { ...this.decide(), start: [] };
    }
    if (this.plan.finished && !this.stirred) this.state.sweeping = false;
  }

  private decide(): Schedule {
    const { cards, archived, problems } = this.snapshot;
    return schedule({
      cards,
      archived,
      running: this.openTasks(({ working }) => working),
      moving: this.openTasks(({ needsHuman }) => !needsHuman),
      maxWorkers: this.settings.maxWorkers,
      waited: this.state.ageing.waited,
      invalid: invalidTasks(problems),
    });
  }

  private openTasks(isWanted: (task: OpenTask) => boolean): string[] {
    return Object.entries(this.state.open).flatMap(([id, task]) => (isWanted(task) ? [id] : []));
  }

  /**
   * `[=]` with no workflow behind it goes back to `[ ]`: the claim died with its maker. Unless we saw
   * the task merged: then somebody saved an old copy of the board.
   */
  private async reclaim(): Promise<void> {
    const orphans = this.snapshot.cards
      .filter(({ id, marker }) => marker === '=' && !this.state.open[id])
      .map(({ id }) => ({ id, marker: this.state.merged.includes(id) ? 'x' : ' ' }) as const);
    if (orphans.length > 0) await this.write([...orphans]);
  }

  private async letGo(): Promise<void> {
    if (!this.approveWaiting) return;
    this.approveWaiting = false;
    for (const { id, marker } of this.snapshot.cards) {
      const task = this.state.open[id];
      if (marker !== 'P' || !task?.needsHuman) continue;
      try {
        const handle = getExternalWorkflowHandle(taskWorkflowId(this.input.project, id));
        await handle.signal(mergeSignal, { by: '--auto-merge' });
        task.needsHuman = false;
      } catch (error) {
        this.lost(id, task.epoch, error);
      }
    }
  }

  /** Undefined when a workflow of the task is open: it outlived an earlier board, and goes on. */
  private async start(
    card: Card,
    order: Pick<StartOrder, 'settings' | 'from' | 'epoch'>,
  ): Promise<number | undefined> {
    const { project, hostId, projectDir, ralphDir } = this.input;
    const { id, title, priority } = card;
    const fresh = Math.max(Math.floor(Date.now() / 1000), (this.state.epochs[id] ?? 0) + 1);
    const epoch = order.epoch ?? fresh;
    this.state.epochs[id] = Math.max(epoch, this.state.epochs[id] ?? 0);
    this.state.open[id] = { epoch, working: true, needsHuman: false };
    delete this.state.failures[id];
    this.state.merged = this.state.merged.filter((merged) => merged !== id);
    const task = { project, hostId, projectDir, ralphDir, taskId: id, title, priority, epoch };
    const isNew = await startTask(
      { ...task, settings: order.settings, ...(order.from && { from: order.from }) },
      (cause) => this.lost(id, epoch, cause),
    );
    return isNew ? epoch : undefined;
  }

  /** A task that ended without a word (terminated in the Temporal UI) must not stay `[=]` for ever. */
  private lost(task: string, epoch: number, cause: unknown): void {
    const hasReported = this.moves.some((move) => move.task === task && move.ended);
    if (this.state.open[task]?.epoch !== epoch || hasReported) return;
    const reason = `its workflow ended without a report: ${reasonOf(cause)}`;
    this.hear({ task, epoch, marker: '*', needsHuman: true, ended: true, reason });
  }

  /** Only the run that started a task hears of its end by itself: a later one asks who is there. */
  private async knock(): Promise<void> {
    for (const [id, { epoch }] of Object.entries(this.state.open))
      try {
        const handle = getExternalWorkflowHandle(taskWorkflowId(this.input.project, id));
        await handle.signal(knockSignal);
      } catch (error) {
        this.lost(id, epoch, error);
      }
  }

  private async continueIfLong(): Promise<void> {
    if (!workflowInfo().continueAsNewSuggested) return;
    await continueAsNew<(input: BoardInput) => Promise<void>>({
      ...this.input,
      settings: this.settings,
      carried: this.state,
    });
  }

  private show(): void {
    const { sweeping } = this.state;
    setCurrentDetails(boardText(this.snapshot.cards, { sweeping, trouble: this.trouble }));
  }
}
