import { randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  PULL_REQUEST_FILES,
  parsePullRequest,
  pullRequestFolder,
  readPullRequests,
  serializePullRequest,
} from '../../../config/pull-request-file.ts';
import type { RunPlace } from '../../../workflows/domain/agent.ts';
import { WiggumError } from '../../../workflows/domain/errors.ts';
import type { PullRequest } from '../../../workflows/domain/pull-request.ts';
import { syncFolder, writeDurably } from '../../durable-file.ts';
import { runKey, taskBranch } from '../../git/run-names.ts';
import { notWritable } from '../../not-writable.ts';
import { identityOf } from '../../process-identity.ts';

/** Reads the pull request of a task run by its number; another run's is refused. */
export async function readRecord(place: RunPlace, number: number): Promise<PullRequest> {
  const file = recordFile(place.ralphDir, number);
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return undefined;
    throw cause;
  });
  const record = text === undefined ? undefined : parsePullRequest(text, file);
  if (record?.taskId === place.taskId && record.epoch === place.epoch) return record;
  throw new WiggumError(
    'PULL_REQUEST_MISSING',
    `there is no pull request ${number} of ${runKey(place)}`,
    { where: file },
  );
}

/** Writes a record anew, whole or not at all. */
export async function saveRecord(ralphDir: string, record: PullRequest): Promise<void> {
  await writeDurably(recordFile(ralphDir, record.number), serializePullRequest(record));
}

/** The pull request that this task run has already; one run has one. */
export async function recordOfRun(place: RunPlace): Promise<PullRequest | undefined> {
  const { pullRequests, problems } = await readPullRequests(place.ralphDir).catch(
    (cause: unknown) => {
      throw notWritable(cause, 'the pull request', path.join(place.ralphDir, 'pull-requests'));
    },
  );
  const found = pullRequests.find(
    ({ taskId, epoch }) => taskId === place.taskId && epoch === place.epoch,
  );
  if (found) return found;
  for (const { number, message } of problems) {
    // A damaged record may be ours: better no pull request than two.
    const file = recordFile(place.ralphDir, number);
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text.includes(taskBranch(place)))
      throw new WiggumError('CONFIG_INVALID', message, { where: file });
  }
  return undefined;
}

/**
 * Takes the next free number for a pull request. Its folder appears whole, by one rename; who finds
 * a number taken looks whether it was taken for the same run.
 */
export async function claimRecord(
  place: RunPlace,
  draft: Omit<PullRequest, 'number' | 'url'>,
  fill: (folder: string) => Promise<void>,
): Promise<PullRequest> {
  const parent = path.join(place.ralphDir, 'pull-requests');
  const mark = `${process.pid}-${randomBytes(4).toString('hex')}`;
  const unfinished = path.join(parent, `.unfinished-${mark}`);
  try {
    await mkdir(parent, { recursive: true });
    await sweepUnfinished(parent);
    await mkdir(unfinished);
    await fill(unfinished);
    for (let number = (await highestNumber(parent)) + 1; ; number += 1) {
      const record = { ...draft, number, url: addressOf(place.ralphDir, number) };
      await writeDurably(
        path.join(unfinished, PULL_REQUEST_FILES.record),
        serializePullRequest(record),
      );
      if (await moveTo(unfinished, pullRequestFolder(place.ralphDir, number))) {
        await syncFolder(parent);
        return record;
      }
      const faster = await recordOfRun(place);
      if (faster) return faster;
    }
  } catch (cause) {
    throw notWritable(cause, 'the pull request', parent);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

function recordFile(ralphDir: string, number: number): string {
  return path.join(pullRequestFolder(ralphDir, number), PULL_REQUEST_FILES.record);
}

function addressOf(ralphDir: string, number: number): string {
  const folder = pullRequestFolder(ralphDir, number);
  return pathToFileURL(path.join(folder, PULL_REQUEST_FILES.description)).href;
}

async function highestNumber(parent: string): Promise<number> {
  const names = await readdir(parent);
  return Math.max(0, ...names.filter((name) => /^[1-9]\d{0,8}$/.test(name)).map(Number));
}

async function moveTo(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (cause) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(String((cause as NodeJS.ErrnoException).code)))
      return false;
    throw cause;
  }
}

/** Removes what processes that are no more have left half made. */
async function sweepUnfinished(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(/^\.unfinished-(\d+)-[0-9a-f]{8}$/.exec(name)?.[1]);
    if (pid > 0 && !(await identityOf(pid)))
      await rm(path.join(parent, name), { recursive: true, force: true });
  }
}
