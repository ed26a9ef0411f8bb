import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  continueAsNew,
  ParentClosePolicy,
  setCurrentDetails,
  setHandler,
  startChild,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { hostActivities } from './activities.ts';
import {
  boardStatusQuery,
  startTaskUpdate,
  sweepUpdate,
  taskMovedSignal,
  taskWorkflowId,
} from './contract.ts';
import { NOTHING_WAITED, nextWaited, type Ageing } from './domain/ageing.ts';
import { PRIORITIES, type Card, type Marker } from './domain/board.ts';
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
import { taskWorkflow } from './task.ts';

export interface BoardInput {
  project: string;
  hostId: string;
  projectDir: string;
  ralphDir: string;
  settings: SweepSettings;
  carried?: Carried;
}

/** What survives continue-as-new. */
interface Carried {
  sweeping: boolean;
  open: Record<string, OpenTask>;
  epochs: Record<string, number>;
  ageing: Ageing;
  failures: Record<string, string>;
}

interface PendingOrder extends StartOrder {
  settled?: { epoch: number } | { refusal: string };
}

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 30_000;

/** The board: the only writer of its file, and the one that decides which task runs when. */
export async function boardWorkflow(input: BoardInput): Promise<void> {
  const board = new BoardRun(input);
  setHandler(boardStatusQuery, () => board.status());
  setHandler(sweepUpdate, (settings) => board.sweep(settings));
  setHandler(taskMovedSignal, (move) => board.hear(move));
  setHandler(startTaskUpdate, (order) => board.take(order), {
    validator: (order) => board.refuseIfOpen(order.id),
  });
  await board.toTheEnd();
}

class BoardRun {
  private settings: SweepSettings;
  private state: Carried;
  private snapshot: BoardSnapshot = { hash: '', cards: [], archived: [], problems: [] };
  private plan: Schedule | undefined;
  private moves: TaskMove[] = [];
  private orders: PendingOrder[] = [];
  private trouble: string | undefined;
  private runEnded = false;
  /** Something happened that asks for another look at the board. */
  private stirred = true;

  constructor(private readonly input: BoardInput) {
    this.settings = input.settings;
    this.state = input.carried ?? {
      sweeping: false,
      open: {},
      epochs: {},
      ageing: NOTHING_WAITED,
      failures: {},
    };
  }

  async toTheEnd(): Promise<void> {
    for (;;) {
      await condition(() => this.stirred);
      this.stirred = false;
      await this.look();
      await this.obey();
      if (this.state.sweeping) await this.pass();
      setCurrentDetails(this.details());
      if (this.stirred || !allHandlersFinished()) continue;
      if (!this.state.sweeping && Object.keys(this.state.open).length === 0) return;
      if (workflowInfo().continueAsNewSuggested)
        await continueAsNew<typeof boardWorkflow>({
          ...this.input,
          settings: this.settings,
          carried: this.state,
        });
    }
  }

  sweep(settings: SweepSettings): { joined: boolean } {
    const joined = this.state.sweeping;
    this.settings = settings;
    this.state.sweeping = true;
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
    const settled = order.settled;
    if (!settled || 'refusal' in settled)
      throw ApplicationFailure.nonRetryable(settled?.refusal ?? 'not started', 'TASK_UNKNOWN');
    return settled;
  }

  /** Writes what tasks reported, and reads the board in the same breath. */
  private async look(): Promise<void> {
    const moves = this.moves;
    this.moves = [];
    for (const move of moves) this.book(move);
    const markers = moves.flatMap(({ task, marker }) => (marker ? [{ id: task, marker }] : []));
    await this.write(markers, markers.length > 0 ? markersText(markers) : 'read the board');
  }

  private book({ task, epoch, marker, needsHuman, ended, reason }: TaskMove): void {
    if (ended) {
      delete this.state.open[task];
      this.runEnded = true;
    } else {
      const working =
        marker === '=' || (marker === undefined && this.state.open[task]?.working === true);
      if (this.state.open[task]?.working && !working) this.runEnded = true;
      this.state.open[task] = { epoch, working, needsHuman };
    }
    if (reason) this.state.failures[task] = reason;
    else delete this.state.failures[task];
  }

  /** A board that cannot be read or written is waited for: tasks that run go on meanwhile. */
  private async write(moves: { id: string; marker: Marker }[], summary: string): Promise<void> {
    const { hostId, ralphDir } = this.input;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        this.snapshot = await hostActivities(hostId, summary).moveMarkers({ ralphDir, moves });
        this.trouble = undefined;
        return;
      } catch (error) {
        this.trouble = reasonOf(error);
        setCurrentDetails(this.details());
        await condition(() => false, pauseMs);
      }
    }
  }

  private async obey(): Promise<void> {
    for (const order of this.orders) {
      const card = this.snapshot.cards.find(({ id }) => id === order.id);
      if (!card) {
        order.settled = { refusal: `no task ${order.id} on the board` };
        continue;
      }
      await this.write([{ id: card.id, marker: '=' }], `${card.id} · claim`);
      order.settled = {
        epoch: await this.start(card, order.settings, order.from),
      };
    }
    this.orders = [];
  }

  /** One scheduling pass: start what fits, end the sweep when nothing is left to do by itself. */
  private async pass(): Promise<void> {
    await this.reclaim();
    const working = Object.keys(this.state.open).filter((id) => this.state.open[id]?.working);
    this.plan = schedule({
      cards: this.snapshot.cards,
      archived: this.snapshot.archived,
      running: working,
      maxWorkers: this.settings.maxWorkers,
      waited: this.state.ageing.waited,
      invalid: invalidTasks(this.snapshot.problems),
      autoMerge: this.settings.autoMerge,
    });
    this.state.ageing = nextWaited(this.state.ageing, {
      schedule: this.plan,
      runEnded: this.runEnded,
    });
    this.runEnded = false;
    const chosen = this.plan.start.flatMap(
      (id) => this.snapshot.cards.find((card) => card.id === id) ?? [],
    );
    if (chosen.length > 0) {
      const claims = chosen.map(({ id }) => ({ id, marker: '=' as const }));
      await this.write(claims, markersText(claims));
      for (const card of chosen) await this.start(card, this.settings);
    }
    const busy = Object.values(this.state.open).some((task) => !task.needsHuman);
    if (!busy && chosen.length === 0 && !this.stirred) this.state.sweeping = false;
  }

  /** `[=]` with no workflow behind it goes back to `[ ]`: the claim died with its maker. */
  private async reclaim(): Promise<void> {
    const orphans = this.snapshot.cards
      .filter(({ id, marker }) => marker === '=' && !this.state.open[id])
      .map(({ id }) => ({ id, marker: ' ' as const }));
    if (orphans.length > 0) await this.write(orphans, markersText(orphans));
  }

  private async start(card: Card, settings: SweepSettings, from?: string): Promise<number> {
    const { project, hostId, projectDir, ralphDir } = this.input;
    const epoch = Math.max(Math.floor(Date.now() / 1000), (this.state.epochs[card.id] ?? 0) + 1);
    this.state.epochs[card.id] = epoch;
    this.state.open[card.id] = { epoch, working: true, needsHuman: false };
    delete this.state.failures[card.id];
    try {
      const child = await startChild(taskWorkflow, {
        workflowId: taskWorkflowId(project, card.id),
        args: [
          {
            project,
            hostId,
            projectDir,
            ralphDir,
            taskId: card.id,
            title: card.title,
            priority: card.priority,
            epoch,
            settings,
            ...(from && { from }),
          },
        ],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        staticSummary: `${card.id}: ${card.title}`.slice(0, 180),
        searchAttributes: {
          WiggumProject: [project],
          WiggumTask: [card.id],
          WiggumState: ['none'],
          WiggumNeedsHuman: [false],
          WiggumPriority: [PRIORITIES.indexOf(card.priority)],
        },
      });
      void child.result().catch((error: unknown) => this.lost(card.id, epoch, error));
    } catch (error) {
      // Its workflow outlived an earlier board: it goes on and reports to us.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    return epoch;
  }

  /** A task that ended without a word (terminated in the Temporal UI) must not stay `[=]` for ever. */
  private lost(task: string, epoch: number, error: unknown): void {
    if (
      this.state.open[task]?.epoch !== epoch ||
      this.moves.some((move) => move.task === task && move.ended)
    )
      return;
    this.hear({
      task,
      epoch,
      marker: '*',
      needsHuman: true,
      ended: true,
      reason: `its workflow ended without a report: ${reasonOf(error)}`,
    });
  }

  status(): BoardStatus {
    const waits = new Map(this.plan?.waiting.map(({ id, why }) => [id, describeReason(why)]));
    return {
      sweeping: this.state.sweeping,
      settings: this.settings,
      cards: this.snapshot.cards.map(({ id, title, marker, priority, line }) => ({
        id,
        title,
        marker,
        priority,
        line,
        open: this.state.open[id] !== undefined,
        why:
          this.trouble ?? this.state.failures[id] ?? (marker === ' ' ? (waits.get(id) ?? '') : ''),
      })),
      cycles: this.plan?.cycles ?? [],
      problems: this.snapshot.problems,
    };
  }

  private details(): string {
    const count = (marker: Marker) =>
      this.snapshot.cards.filter((card) => card.marker === marker).length;
    return [
      `### ${this.state.sweeping ? 'Sweeping' : 'Idle'}${this.trouble ? ` · ${this.trouble}` : ''}`,
      '',
      '| pending | in progress | pull request | done | failed |',
      '|---|---|---|---|---|',
      `| ${count(' ')} | ${count('=')} | ${count('P')} | ${count('x')} | ${count('*')} |`,
    ].join('\n');
  }
}

function markersText(moves: readonly { id: string; marker: Marker }[]): string {
  return moves
    .map(({ id, marker }) => `${id} → [${marker}]`)
    .join(', ')
    .slice(0, 180);
}
