import { lstat, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { makeBorrowingRepository } from './borrowing-repository.ts';
import { askGit, git, type Repository } from './git.ts';
import { openProject, tipOf } from './project-repository.ts';
import { runKey, taskBranch } from './run-names.ts';
import { enterWorkspace } from './task-repository.ts';

/** Brings the task's branch into the publisher, the repository that no agent ever sees. */
export async function publishBranch(place: RunPlace): Promise<{ head: string }> {
  const { bare, gitDir } = await enterWorkspace(place);
  const publisher = await openPublisher(place);
  const ref = `refs/heads/${taskBranch(place)}`;
  const head = await tipOf(bare, ref);
  if (!head)
    throw new WiggumError('WORKSPACE_GONE', `the branch ${taskBranch(place)} has vanished`, {
      where: place.taskId,
    });
  const before = await tipOf(publisher, ref);
  if (before === head) return { head };
  const incoming = `refs/wiggum/incoming/${runKey(place)}`;
  await git(publisher, ['fetch', ...QUIET_FETCH, gitDir, `+${ref}:${incoming}`], {
    // What an agent wrote is checked object by object before anything is made of it.
    environment: { GIT_CONFIG_PARAMETERS: "'fetch.fsckObjects=true'" },
  });
  // Rebases move the branch sideways, so only the old value guards it: nobody else writes here.
  const fetched = await git(publisher, ['rev-parse', '--verify', incoming]);
  const update = ['update-ref', ref, fetched, before ?? ''];
  const moved = await askGit(publisher, update);
  // Refused, but there: another attempt of ours was faster. Otherwise git says again what it is.
  if (moved.exitCode !== 0 && (await tipOf(publisher, ref)) !== fetched)
    await git(publisher, update);
  return { head: fetched };
}

/** Fetches objects and nothing else: no tags, no FETCH_HEAD, no collector, no submodules, no pruning. */
export const QUIET_FETCH = [
  '--quiet',
  '--no-tags',
  '--no-prune',
  '--no-write-fetch-head',
  '--no-auto-maintenance',
  '--no-recurse-submodules',
] as const;

/** Where the publisher lies. */
export function publisherDir({ ralphDir }: Pick<RunPlace, 'ralphDir'>): string {
  return path.join(ralphDir, 'publisher.git');
}

/** Opens the project's publisher; the first use makes it. */
export async function openPublisher(
  place: Pick<RunPlace, 'ralphDir' | 'projectDir'>,
): Promise<Repository> {
  const gitDir = publisherDir(place);
  const isMissing = await lstat(gitDir).then(
    () => false,
    () => true,
  );
  if (isMissing)
    await makeBorrowingRepository(gitDir, await openProject(place.projectDir), (unfinished) =>
      writeFile(path.join(unfinished, MARKER), 'chief-wiggum publisher\n'),
    );
  const marker = await readFile(path.join(gitDir, MARKER), 'utf8').catch(() => undefined);
  if (marker === undefined)
    throw new WiggumError('WORKSPACE_FOREIGN', `${gitDir} is not a publisher of ours`, {
      where: gitDir,
    });
  return { kind: 'ours', gitDir };
}

const MARKER = 'wiggum-publisher';
