import { basename, join } from 'node:path';
import { TASK_WORKER } from '../../config/built-in-agents.ts';
import type { Project } from '../../config/project.ts';
import type { Environment } from '../../config/state-dir.ts';
import { WORKER_PATHS, workerPath, type WorkerPathKind } from '../../config/worker-files.ts';
import type { GateResult } from '../../workflows/domain/steps.ts';
import { NO_USAGE, sumUsage, usageOf, type Usage } from '../../workflows/domain/usage.ts';
import { lookAtBoard, type BoardReport } from '../board-report.ts';
import { usageOfRecords } from '../board-usage.ts';
import type { TaskView } from '../board-view.ts';
import { capturedSettings, type CapturedSettings } from '../captured-settings.ts';
import { lastEvents, type LoggedEvent } from '../event-log.ts';
import { withRunningServer } from '../hosting.ts';
import type { KnownTask } from '../known-task.ts';
import { newestRuns, type TaskRunFolder } from '../task-runs.ts';
import { readRecords, type WorkerRecord } from '../worker-records.ts';

/** A task run as its workflow and its files tell it. */
export interface WorkerView {
  task: string;
  /** Who tells where it stands. */
  source: BoardReport['source'];
  /** The row of the board; absent for a task that is not on it any more, and for an earlier run. */
  standing?: TaskView;
  /** Folder's name and beginning of the run; absent when the task never ran. */
  worker?: string;
  epoch?: number;
  /** Gate result of the step that ended last. */
  last?: Pick<WorkerRecord, 'result' | 'agent' | 'endedAt'> & { step: string };
  /** How the run ended. */
  end?: { result: GateResult; endedAt: string; errors: string[] };
  steps: WorkerRecord[];
  sessionId?: string;
  branch?: string;
  usage: Usage;
  events: LoggedEvent[];
  /** What the command that started it handed over; null when nobody knows any more. */
  settings: CapturedSettings | null;
  paths: Partial<Record<WorkerPathKind | 'folder' | 'logs', string>>;
}

const LAST_EVENTS = 5;

/** Gathers all that is known of a task run; changes nothing and starts nothing. */
export async function workerView(
  { id, run }: KnownTask,
  { project, environment }: { project: Project; environment: Environment },
): Promise<WorkerView> {
  const isNewest = run?.epoch === (await newestRuns(project.ralphDir)).get(id)?.epoch;
  const { source, view } = await lookAtBoard({ project, environment });
  const standing = isNewest ? view.tasks.find((task) => task.id === id) : undefined;
  const records = run ? await readRecords(run.folder) : [];
  const end = records.findLast(({ agent }) => agent === TASK_WORKER);
  const steps = records.filter(({ agent }) => agent !== TASK_WORKER);
  const last = steps.at(-1);
  const sessionId = standing?.sessionId ?? last?.outputs['session_id'];
  const branch = standing?.branch ?? end?.outputs['branch'];
  return {
    task: id,
    source: standing ? source : 'files',
    ...(standing && { standing }),
    ...(run && { worker: basename(run.folder), epoch: run.epoch }),
    ...(last?.step !== undefined && {
      last: { step: last.step, agent: last.agent, result: last.result, endedAt: last.endedAt },
    }),
    ...(end &&
      !standing?.open && {
        end: { result: end.result, endedAt: end.endedAt, errors: end.errors },
      }),
    steps,
    ...(sessionId !== undefined && { sessionId }),
    ...(branch !== undefined && { branch }),
    usage: totalUsage(records, standing),
    events: run ? await lastEvents(join(run.folder, 'activity.jsonl'), LAST_EVENTS) : [],
    settings: run ? await settingsOf(run, { project, environment }) : null,
    paths: run ? await pathsOf(run) : {},
  };
}

/** A run at work knows more than its records: what its agent uses at this moment. */
function totalUsage(records: readonly WorkerRecord[], standing: TaskView | undefined): Usage {
  const { ended, since } = usageOfRecords(records);
  const isLive = standing?.open && standing.turns !== undefined;
  return sumUsage([ended, isLive ? usageOf({ ...NO_USAGE, ...standing }) : since]);
}

async function settingsOf(
  { task, epoch }: TaskRunFolder,
  { project, environment }: { project: Project; environment: Environment },
): Promise<CapturedSettings | null> {
  const found = await withRunningServer(environment, (client) =>
    capturedSettings(client, project.id, { task, epoch }),
  );
  return found && !('noServer' in found) ? found : null;
}

async function pathsOf({ folder }: TaskRunFolder): Promise<WorkerView['paths']> {
  const found = await Promise.all(
    WORKER_PATHS.map(
      async (kind) => [kind, await workerPath({ workerDir: folder, kind })] as const,
    ),
  );
  return {
    folder,
    logs: join(folder, 'logs'),
    ...Object.fromEntries(found.filter(([, path]) => path !== undefined)),
  };
}
