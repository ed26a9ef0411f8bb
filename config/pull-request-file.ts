import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { WiggumError } from '../workflows/domain/errors.ts';
import type { PullRequest } from '../workflows/domain/pull-request.ts';

const commit = z.string().regex(/^[0-9a-f]{40,64}$/, 'expected a commit id');

const pullRequestSchema = z.object({
  number: z.int().positive(),
  taskId: z.string().min(1),
  epoch: z.int().nonnegative(),
  title: z.string(),
  branch: z.string().min(1),
  target: z.string().min(1),
  head: commit,
  base: commit,
  state: z.enum(['open', 'merged', 'closed']),
  mergedAs: commit.optional(),
  url: z.string(),
}) satisfies z.ZodType<PullRequest>;

/** A record that could not be read. */
export interface PullRequestProblem {
  number: number;
  message: string;
}

/** The folder of a local pull request: record, description and diff. */
export function pullRequestFolder(ralphDir: string, number: number): string {
  return path.join(ralphDir, 'pull-requests', String(number));
}

/** The files in that folder. */
export const PULL_REQUEST_FILES = {
  record: 'pull-request.json',
  description: 'description.md',
  diff: 'changes.diff',
} as const;

/** Reads a record; every problem is named at once, with the file. */
export function parsePullRequest(text: string, file: string): PullRequest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new WiggumError('CONFIG_INVALID', `${file} is not JSON: ${String(cause)}`, {
      where: file,
      cause,
    });
  }
  const parsed = pullRequestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path: key, message }) => `${key.join('.') || 'the record'}: ${message}`,
  );
  throw new WiggumError('CONFIG_INVALID', `${file}: ${problems.join('; ')}`, { where: file });
}

/** Writes a record as text. */
export function serializePullRequest(pullRequest: PullRequest): string {
  return `${JSON.stringify(pullRequest, null, 2)}\n`;
}

/** All local pull requests in order; a record that cannot be read is named, the others are there. */
export async function readPullRequests(
  ralphDir: string,
): Promise<{ pullRequests: PullRequest[]; problems: PullRequestProblem[] }> {
  const names = await readdir(path.join(ralphDir, 'pull-requests')).catch(noFolder);
  const numbers = names
    .filter((name) => /^[1-9]\d{0,8}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
  const pullRequests: PullRequest[] = [];
  const problems: PullRequestProblem[] = [];
  for (const number of numbers) {
    try {
      pullRequests.push(await readRecord(ralphDir, number));
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      problems.push({ number, message });
    }
  }
  return { pullRequests, problems };
}

/** One pull request, by its number or by its task: then the open one, or the latest. */
export async function findPullRequest(
  ralphDir: string,
  wanted: number | string,
): Promise<PullRequest> {
  const { pullRequests, problems } = await readPullRequests(ralphDir);
  const damaged = problems.find(({ number }) => number === wanted);
  if (damaged) throw new WiggumError('CONFIG_INVALID', damaged.message, { where: `#${wanted}` });
  const ofTask = pullRequests.filter(({ taskId }) => taskId === wanted);
  const found =
    pullRequests.find(({ number }) => number === wanted) ??
    ofTask.findLast(({ state }) => state === 'open') ??
    ofTask.at(-1);
  if (found) return found;
  const what = typeof wanted === 'number' ? `pull request ${wanted}` : `pull request of ${wanted}`;
  throw new WiggumError('PULL_REQUEST_MISSING', `there is no ${what}`, {
    where: ralphDir,
  });
}

/** The texts of a pull request: what it says and what it changes. */
export async function readPullRequestTexts(
  ralphDir: string,
  number: number,
): Promise<{ description: string; diff: string }> {
  const read = (name: string) =>
    readFile(path.join(pullRequestFolder(ralphDir, number), name), 'utf8').catch(() => '');
  return {
    description: await read(PULL_REQUEST_FILES.description),
    diff: await read(PULL_REQUEST_FILES.diff),
  };
}

async function readRecord(ralphDir: string, number: number): Promise<PullRequest> {
  const file = path.join(pullRequestFolder(ralphDir, number), PULL_REQUEST_FILES.record);
  const record = parsePullRequest(await readFile(file, 'utf8'), file);
  if (record.number !== number)
    throw new WiggumError('CONFIG_INVALID', `${file}: number is ${record.number}`, { where: file });
  return record;
}

function noFolder(cause: NodeJS.ErrnoException): string[] {
  if (cause.code === 'ENOENT') return [];
  throw cause;
}
