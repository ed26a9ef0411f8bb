import { mkdir, readdir, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { z } from 'zod';
import { createFile } from '../../config/create-file.ts';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import type { GateResult, ResultMapping } from '../../workflows/domain/steps.ts';
import { readIfThere, syncFolder, writeDurably } from '../durable-file.ts';

export interface RunResult {
  place: RunPlace;
  /** Second in which the run began: names its files. */
  epoch: number;
  agentType: string;
  stepId: string;
  runId: string;
  result: GateResult;
  /** What the result means; a result that nobody mapped is `unknown`. */
  mapping: ResultMapping | undefined;
  /** In place of the mapping's. */
  exitCode?: number;
  iterations: number;
  startedAt: string;
  endedAt: string;
  errors: string[];
  outputs: Readonly<Record<string, unknown>>;
  metadata: Readonly<Record<string, unknown>>;
  /** Report of the run's last turn that gave one. */
  report?: string;
}

export interface WrittenResult {
  file: string;
  report?: string;
}

/** Puts the result of a run on record, once: nothing that is there is overwritten, a retry finds its own. */
export async function writeResult(run: RunResult): Promise<WrittenResult> {
  const { place, agentType } = run;
  for (const folder of ['results', 'reports'])
    await mkdir(join(place.workerDir, folder), { recursive: true });
  const reportText = run.report === undefined ? undefined : await readIfThere(run.report);
  const epoch = (await epochOf(run)) ?? (await claimEpoch(run, reportText !== undefined));
  const report = reportPath(place, epoch, agentType);
  if (reportText !== undefined && (await isMissing(report)))
    await writeDurably(report, ensureNewline(reportText));
  await writeDurably(join(place.workerDir, 'gate_result'), `${run.result}\n`);
  return {
    file: resultPath(place, epoch, agentType),
    ...(reportText === undefined ? {} : { report }),
  };
}

/** Tells which agent did a run, by its result; undefined when there is none. */
export async function agentOfRun(place: RunPlace, runId: string): Promise<string | undefined> {
  return (await recordOf(place, runId))?.agentType;
}

const recordSchema = z.object({
  agent_type: z.string(),
  metadata: z.object({ run_id: z.string() }),
});

const NAME = /^(\d+)-(.+)-result\.json$/;

async function epochOf({ place, runId, agentType }: RunResult): Promise<number | undefined> {
  const found = await recordOf(place, runId);
  return found?.agentType === agentType ? found.epoch : undefined;
}

// Newest first: whoever asks, asks for a run of a moment ago.
async function recordOf(
  place: RunPlace,
  runId: string,
): Promise<{ epoch: number; agentType: string } | undefined> {
  const folder = join(place.workerDir, 'results');
  const names = await readdir(folder).catch(() => []);
  for (const name of names.sort().reverse()) {
    const [, epoch, agentType] = NAME.exec(name) ?? [];
    if (epoch === undefined || agentType === undefined) continue;
    const record = parseRecord(await readIfThere(join(folder, name)));
    if (record?.metadata.run_id === runId) return { epoch: Number(epoch), agentType };
  }
  return undefined;
}

// A file that is no record of ours says nothing about this run.
function parseRecord(text: string | undefined): z.infer<typeof recordSchema> | undefined {
  try {
    return recordSchema.parse(JSON.parse(text ?? ''));
  } catch {
    return undefined;
  }
}

async function claimEpoch(run: RunResult, reports: boolean): Promise<number> {
  const { place, agentType } = run;
  for (let epoch = run.epoch; ; epoch += 1) {
    if (!(await isMissing(reportPath(place, epoch, agentType)))) continue;
    const text = `${JSON.stringify(toRecord(run, epoch, reports), null, 2)}\n`;
    if (!(await createFile(resultPath(place, epoch, agentType), text, 0o600))) continue;
    await syncFolder(join(place.workerDir, 'results'));
    return epoch;
  }
}

function toRecord(run: RunResult, epoch: number, reports: boolean) {
  const { place, agentType } = run;
  const milliseconds = Date.parse(run.endedAt) - Date.parse(run.startedAt);
  return {
    agent_type: agentType,
    status: run.mapping?.status ?? 'unknown',
    exit_code: run.exitCode ?? run.mapping?.exitCode ?? 1,
    started_at: run.startedAt,
    completed_at: run.endedAt,
    duration_seconds: Math.max(0, Math.round(milliseconds / 1_000)),
    task_id: place.taskId,
    worker_id: basename(place.workerDir),
    iterations_completed: run.iterations,
    outputs: {
      ...run.outputs,
      ...(reports && {
        report_file: relative(place.workerDir, reportPath(place, epoch, agentType)),
      }),
      // Last, so that no output of an agent can take its place.
      gate_result: run.result,
    },
    errors: run.errors,
    metadata: { ...run.metadata, step_id: run.stepId, run_id: run.runId },
  };
}

function resultPath({ workerDir }: RunPlace, epoch: number, agentType: string): string {
  return join(workerDir, 'results', `${epoch}-${agentType}-result.json`);
}

function reportPath({ workerDir }: RunPlace, epoch: number, agentType: string): string {
  return join(workerDir, 'reports', `${epoch}-${agentType}-report.md`);
}

async function isMissing(file: string): Promise<boolean> {
  return stat(file).then(
    () => false,
    (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return true;
      throw cause;
    },
  );
}

function ensureNewline(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
