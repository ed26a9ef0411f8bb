import { mkdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { createFile } from '../../config/create-file.ts';
import {
  renderWritten,
  sha256,
  WRITTEN_FILES,
  writtenFiles,
  type WrittenFile,
} from '../../config/worker-files.ts';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import type { GateResult, ResultMapping } from '../../workflows/domain/steps.ts';
import { appendLine } from '../append-line.ts';
import { readIfThere, syncFolder, writeDurably } from '../durable-file.ts';

export interface RunResult {
  place: RunPlace;
  /** Second in which the run began: names its files. */
  epoch: number;
  agentType: string;
  /** Absent when the run is the task itself. */
  stepId?: string;
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
  outputs: Readonly<Record<string, string>>;
  metadata: Readonly<Record<string, unknown>>;
  /** Report of the run's last turn that gave one. */
  report?: string;
}

export interface WrittenResult {
  file: string;
  report?: string;
  /** The second that was free for this run. */
  epoch: number;
  /** As they stand on record: a retry answers like the first attempt. */
  endedAt: string;
  outputs: Readonly<Record<string, string>>;
}

/** Puts the result of a run on record, once: nothing that is there is overwritten, a retry finds its own. */
export async function writeResult(run: RunResult): Promise<WrittenResult> {
  const { place, agentType } = run;
  for (const folder of ['results', 'reports'])
    await mkdir(join(place.workerDir, folder), { recursive: true });
  const reportText = run.report === undefined ? undefined : await readIfThere(run.report);
  const hasReport = reportText !== undefined;
  const { epoch, record } = (await recordOf(run, hasReport)) ?? (await claimEpoch(run, hasReport));
  const report = reportName(epoch, agentType);
  if (hasReport && (await isMissing(join(place.workerDir, report)))) {
    const text = reportText.endsWith('\n') ? reportText : `${reportText}\n`;
    await list(run, { file: report, sha256: sha256(text), epoch });
    await writeDurably(join(place.workerDir, report), text);
  }
  await writeDurably(join(place.workerDir, 'gate_result'), `${run.result}\n`);
  return {
    file: join(place.workerDir, resultName(epoch, agentType)),
    ...(hasReport && { report: join(place.workerDir, report) }),
    epoch,
    endedAt: record.completed_at,
    outputs: record.outputs,
  };
}

/** Tells which agent did a run, by its result; undefined when there is none. */
export async function agentOfRun(place: RunPlace, runId: string): Promise<string | undefined> {
  const found = await writtenFiles(place.workerDir, (written) => written.runId === runId);
  return found.at(-1)?.agentType;
}

const recordSchema = z.looseObject({
  completed_at: z.string(),
  outputs: z.record(z.string(), z.string()),
});
type ResultRecord = z.infer<typeof recordSchema>;

/**
 * The record that an earlier attempt wrote. An agent knows its run id and can write into `results/`:
 * ours is in our list, as we wrote it, and says of the run what we know of it.
 */
async function recordOf(
  run: RunResult,
  hasReport: boolean,
): Promise<{ epoch: number; record: ResultRecord } | undefined> {
  const { workerDir } = run.place;
  const listed = await writtenFiles(
    workerDir,
    ({ file, runId, agentType, epoch }) =>
      runId === run.runId && agentType === run.agentType && file === resultName(epoch, agentType),
  );
  for (const { content, epoch } of listed.toReversed()) {
    const record = parseRecord(content);
    const expected = toRecord(run, epoch, hasReport);
    if (record && isDeepStrictEqual(knownPart(record), knownPart(expected)))
      return { epoch, record };
  }
  return undefined;
}

// When it ended, and what lay in the files that an agent left, an attempt can find otherwise.
function knownPart({ completed_at, outputs, ...record }: ResultRecord) {
  const { duration_seconds, ...known } = record;
  const plain: unknown = JSON.parse(JSON.stringify(known));
  return { known: plain, result: outputs['gate_result'], report: outputs['report_file'] };
}

function parseRecord(text: string): ResultRecord | undefined {
  try {
    return recordSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

async function claimEpoch(run: RunResult, hasReport: boolean) {
  const { agentType } = run;
  const { workerDir } = run.place;
  for (let epoch = run.epoch; ; epoch += 1) {
    const file = resultName(epoch, agentType);
    if (!(await isMissing(join(workerDir, reportName(epoch, agentType))))) continue;
    if (!(await isMissing(join(workerDir, file)))) continue;
    const record = toRecord(run, epoch, hasReport);
    const text = `${JSON.stringify(record, null, 2)}\n`;
    // Listed first: what is listed and not there, or there with other content, is nobody's.
    await list(run, { file, sha256: sha256(text), epoch });
    if (!(await createFile(join(workerDir, file), text, 0o600))) continue;
    await syncFolder(join(workerDir, 'results'));
    return { epoch, record };
  }
}

async function list(
  { place, agentType, stepId, runId }: RunResult,
  written: Pick<WrittenFile, 'file' | 'sha256' | 'epoch'>,
): Promise<void> {
  const line = renderWritten({ ...written, agentType, ...(stepId && { stepId }), runId });
  await appendLine(join(place.workerDir, WRITTEN_FILES), line, { sync: true });
}

function toRecord(run: RunResult, epoch: number, hasReport: boolean) {
  const { place, agentType } = run;
  const milliseconds = Date.parse(run.endedAt) - Date.parse(run.startedAt);
  const outputs: Record<string, string> = {
    ...run.outputs,
    ...(hasReport && { report_file: reportName(epoch, agentType) }),
    // Last, so that no output of an agent can take its place.
    gate_result: run.result,
  };
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
    outputs,
    errors: run.errors,
    metadata: { ...run.metadata, ...(run.stepId && { step_id: run.stepId }), run_id: run.runId },
  };
}

function resultName(epoch: number, agentType: string): string {
  return `results/${epoch}-${agentType}-result.json`;
}

function reportName(epoch: number, agentType: string): string {
  return `reports/${epoch}-${agentType}-report.md`;
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
