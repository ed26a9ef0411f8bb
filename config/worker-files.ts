import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readPlainFile } from './plain-file.ts';

/** What an agent or a person can ask a task run for. */
export const WORKER_PATHS = [
  'result',
  'report',
  'summary',
  'comments',
  'prd',
  'workspace',
] as const;
export type WorkerPathKind = (typeof WORKER_PATHS)[number];

/** A result or report that we wrote. */
export interface WrittenFile {
  /** `results/<epoch>-<agent>-result.json` or `reports/<epoch>-<agent>-report.md`. */
  file: string;
  sha256: string;
  agentType: string;
  /** Absent for the record of the task itself. */
  stepId?: string;
  runId: string;
  epoch: number;
}

/** One that is still as we wrote it, with what stands in it. */
export interface IntactFile extends WrittenFile {
  content: string;
}

/** Lists in the worker folder what we wrote: an agent can put a file of any name into `results/`. */
export const WRITTEN_FILES = 'records.jsonl';

/**
 * The path of something in a task run; undefined when there is none. Of results and reports it is
 * the newest, of all or of the agent type or step id that is named.
 */
export async function workerPath(wanted: {
  workerDir: string;
  kind: WorkerPathKind;
  name?: string;
}): Promise<string | undefined> {
  const { workerDir, kind, name } = wanted;
  switch (kind) {
    case 'result':
    case 'report':
      return newestOf(workerDir, `${kind}s`, name);
    case 'summary':
      return ifThere(join(workerDir, 'summaries', 'summary.txt'));
    case 'comments':
      return ifThere(join(workerDir, 'task-comments.md'));
    case 'prd':
      return ifThere(join(workerDir, 'prd.md'));
    case 'workspace':
      return ifThere(join(workerDir, 'workspace'));
  }
}

/** Files that we wrote and that are still as we wrote them, those that are wanted, oldest first. */
export async function writtenFiles(
  workerDir: string,
  isWanted: (written: WrittenFile) => boolean,
): Promise<IntactFile[]> {
  const text = (await readPlainFile(join(workerDir, WRITTEN_FILES), MAX_LIST_BYTES)) ?? '';
  const intact: IntactFile[] = [];
  for (const written of text.split('\n').flatMap(parseWritten).filter(isWanted)) {
    const content = await readPlainFile(join(workerDir, written.file), MAX_FILE_BYTES);
    if (content !== undefined && sha256(content) === written.sha256)
      intact.push({ ...written, content });
  }
  return intact.sort((one, other) => one.epoch - other.epoch);
}

/** One line of the list. */
export function renderWritten(written: WrittenFile): string {
  return JSON.stringify(written);
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const MAX_LIST_BYTES = 16 << 20;
const MAX_FILE_BYTES = 4 << 20;

const writtenSchema = z.object({
  // Only names that we give: no line of the list leads out of the worker folder.
  file: z.string().regex(/^(results\/\d+-[\w.-]+-result\.json|reports\/\d+-[\w.-]+-report\.md)$/),
  sha256: z.string(),
  agentType: z.string(),
  stepId: z.string().optional(),
  runId: z.string(),
  epoch: z.int().nonnegative(),
}) satisfies z.ZodType<WrittenFile>;

// A line that cannot be read is none of ours.
function parseWritten(line: string): WrittenFile[] {
  try {
    return [writtenSchema.parse(JSON.parse(line))];
  } catch {
    return [];
  }
}

async function newestOf(
  workerDir: string,
  folder: string,
  name: string | undefined,
): Promise<string | undefined> {
  const all = await writtenFiles(
    workerDir,
    ({ file, agentType, stepId }) =>
      file.startsWith(`${folder}/`) &&
      (name === undefined || agentType === name || stepId === name),
  );
  const found = all.at(-1);
  return found && join(workerDir, found.file);
}

async function ifThere(path: string): Promise<string | undefined> {
  return access(path).then(
    () => path,
    () => undefined,
  );
}
