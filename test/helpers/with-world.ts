import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { askStart, askSweep } from '../../client/ask.ts';
import { readLedger, type LedgerEntry } from '../../client/demo-ledger.ts';
import { askTaskStatus, watchBoard } from '../../client/watch-board.ts';
import type { BoardView } from '../../client/board-view.ts';
import { parseBoard } from '../../config/board-file.ts';
import { openProject, type Project } from '../../config/project.ts';
import { startHost, type Host } from '../../workers/host.ts';
import { taskWorkflowId } from '../../workflows/contract.ts';
import type { Marker } from '../../workflows/domain/board.ts';
import type { SweepSettings } from '../../workflows/domain/sweep.ts';
import type { TaskStatus } from '../../workflows/domain/task.ts';
import { recordHistories } from './record-history.ts';
import { makeRepository, type TestProject } from './with-repository.ts';
import { withTemporal } from './with-temporal.ts';

/** A project with a board and scripted agents, served by a host in this process. */
export interface World {
  repository: TestProject;
  project: Project;
  client: Client;
  settings: SweepSettings;
  /** Sweeps until nothing is left to do, and gives the board as people see it then. */
  sweep(changes?: Partial<SweepSettings>): Promise<BoardView>;
  /** Starts a sweep and returns at once. */
  beginSweep(changes?: Partial<SweepSettings>): Promise<void>;
  /** Waits for the end of the sweep that goes on. */
  sweepEnd(): Promise<BoardView>;
  start(id: string, more?: { from?: string; epoch?: number }): Promise<void>;
  markers(): Promise<Record<string, Marker>>;
  /** Waits until a task's own status is as wanted. */
  until(id: string, isWanted: (status: TaskStatus) => boolean): Promise<TaskStatus>;
  ledger(): Promise<LedgerEntry[]>;
  /** How many events the history of a task has. */
  events(id: string): Promise<number>;
  /** Stops the host as Ctrl-C does, and starts another one. */
  restartHost(): Promise<void>;
}

export interface WorldPlan {
  /** The board below its heading `## TASKS`. */
  board: string;
  /** Scenario of the scripted agents, YAML. */
  script?: string;
  /** Files of the project, beside those of the repository helper; committed. */
  files?: Record<string, string>;
  /** `.ralph/config.json`. */
  config?: object;
  /** `.ralph/pipeline.json`; by default one step, `execution`. */
  pipeline?: object | 'default';
  settings?: Partial<SweepSettings>;
}

/** The shortest pipeline: one step that edits. */
export const ONE_STEP = {
  name: 'one-step',
  steps: [{ id: 'execution', agent: 'engineering.software-engineer', max: 2, commit_after: true }],
};
const PATIENCE_MS = 120_000;
const LOOK_EVERY_MS = 100;

/** Makes a world, lets a test live in it, and ends it whatever happens. */
export async function withWorld(
  plan: WorldPlan,
  live: (world: World) => Promise<void>,
): Promise<void> {
  const repository = await makeRepository();
  try {
    await repository.write({
      '.ralph/kanban.md': `# Board\n\n## TASKS\n\n${plan.board}`,
      '.ralph/config.json': `${JSON.stringify(plan.config ?? {})}\n`,
      '../script/scenario.yaml': `ledger: ../ledger.jsonl\n${plan.script ?? ''}`,
    });
    if (plan.pipeline !== 'default')
      await repository.write({
        '.ralph/pipeline.json': JSON.stringify(plan.pipeline ?? ONE_STEP),
      });
    if (plan.files) await repository.commit('Files of the test', plan.files);
    await withTemporal(async ({ client, connection }) => {
      const { project } = await openProject(repository.dir, process.env);
      const serve = () =>
        startHost({ connection, project, environment: process.env, log: () => {} });
      const served = { host: await serve() };
      try {
        await live(describe({ plan, repository, project, client, served, serve }));
        await recordHistories(client, path.dirname(repository.dir));
      } finally {
        await served.host.stop();
      }
    });
  } finally {
    await repository.remove();
  }
}

/** A task line with its required fields. */
export function task(id: string, title: string, more: { needs?: string; scope?: string[] } = {}) {
  const scope = (more.scope ?? []).map((item) => `    - ${item}\n`).join('');
  return [
    `- [ ] **[${id}]** ${title}\n`,
    `  - Description: ${title}, as the test wants it.\n`,
    '  - Priority: MEDIUM\n',
    `  - Dependencies: ${more.needs ?? 'none'}\n`,
    scope && `  - Scope:\n${scope}`,
    '\n',
  ].join('');
}

function describe({
  plan,
  repository,
  project,
  client,
  served,
  serve,
}: {
  plan: WorldPlan;
  repository: TestProject;
  project: Project;
  client: Client;
  served: { host: Host };
  serve: () => Promise<Host>;
}): World {
  const settings: SweepSettings = {
    maxWorkers: 2,
    autoMerge: true,
    backend: 'script',
    script: path.join(repository.dir, '..', 'script', 'scenario.yaml'),
    environment: {},
    ...plan.settings,
  };
  const look = watchBoard(client, project.id);
  const beginSweep = async (changes: Partial<SweepSettings> = {}) => {
    await askSweep(client, project, { ...settings, ...changes });
  };
  const sweepEnd = () =>
    eventually(async () => {
      const seen = await look();
      return seen.kind === 'view' && !seen.view.sweeping ? seen.view : undefined;
    }, 'the end of the sweep');
  return {
    repository,
    project,
    client,
    settings,
    beginSweep,
    sweepEnd,
    sweep: async (changes) => {
      await beginSweep(changes);
      return sweepEnd();
    },
    start: async (id, more) => {
      await askStart(client, project, { id, settings, ...more });
    },
    markers: async () => {
      const text = await readFile(path.join(project.ralphDir, 'kanban.md'), 'utf8');
      return Object.fromEntries(parseBoard(text).tasks.map(({ id, marker }) => [id, marker]));
    },
    until: (id, isWanted) =>
      eventually(async () => {
        const status = await askTaskStatus(client, project.id, { id });
        return status && isWanted(status) ? status : undefined;
      }, `a wanted status of ${id}`),
    ledger: () => readLedger(path.join(repository.dir, '..', 'ledger.jsonl')),
    events: async (id) => {
      const handle = client.workflow.getHandle(taskWorkflowId(project.id, id));
      return Number((await handle.describe()).historyLength);
    },
    restartHost: async () => {
      await served.host.stop();
      served.host = await serve();
    },
  };
}

/** Asks again and again until there is an answer. */
export async function eventually<T>(ask: () => Promise<T | undefined>, what: string): Promise<T> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > until) throw new Error(`waited ${PATIENCE_MS / 1000} s in vain for ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}
