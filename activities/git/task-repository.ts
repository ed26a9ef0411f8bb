import { lstat, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { pinConfig } from './borrowing-repository.ts';
import type { Repository } from './git.ts';
import { removeStaleLocks, waitForGit } from './stale-locks.ts';
import { readMarker, type WorkspaceMarker } from './workspace-marker.ts';

/** A workspace that is safe to run git in. */
export interface Workspace {
  place: RunPlace;
  /** The worktree with its index. */
  tree: Repository;
  /** The bare repository behind it. */
  bare: Repository;
  gitDir: string;
  adminDir: string;
  marker: WorkspaceMarker;
}

/** The bare repository of a task run. */
export function taskGitDir(place: RunPlace): string {
  return path.join(place.workerDir, 'repo.git');
}

/** The private git folder of the workspace inside the task repository. */
export function taskAdminDir(place: RunPlace): string {
  return path.join(taskGitDir(place), 'worktrees', path.basename(place.workspace));
}

/**
 * Opens a workspace that an agent may have worked in: proves that it is there and ours, waits for
 * git processes to end, and undoes what could turn our own git commands against us.
 */
export async function enterWorkspace(place: RunPlace): Promise<Workspace> {
  const gitDir = taskGitDir(place);
  const adminDir = taskAdminDir(place);
  for (const folder of [place.workspace, gitDir, adminDir])
    if (!(await isFolder(folder)))
      throw new WiggumError('WORKSPACE_GONE', `${folder} has vanished`, { where: place.taskId });
  const marker = await readMarker(gitDir, place);
  await waitForGit(place.workerDir);
  await removeStaleLocks(gitDir);
  await pinConfig(gitDir, marker.pinned);
  // Read only with an extension that the pinned configuration does not switch on; gone is surer.
  await rm(path.join(adminDir, 'config.worktree'), { recursive: true, force: true });
  await pointBack(place, adminDir);
  return {
    place,
    bare: { kind: 'ours', gitDir },
    tree: {
      kind: 'ours',
      gitDir: adminDir,
      workTree: { directory: place.workspace, commonDir: gitDir },
    },
    gitDir,
    adminDir,
    marker,
  };
}

/** Whether a real folder, not a link to one, stands at a path. */
export async function isFolder(folder: string): Promise<boolean> {
  return lstat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Whether anything stands at a path, a link that leads nowhere too. */
export async function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

/** Deletes a folder of ours so that a death in the middle leaves no half of it under its name. */
export async function discard(folder: string): Promise<void> {
  const away = `${folder}.unfinished-${randomBytes(4).toString('hex')}`;
  try {
    await rename(folder, away);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw cause;
  }
  await rm(away, { recursive: true, force: true });
}

// We name the git folder by hand, but agents and checks find it through this file.
async function pointBack({ workspace, workerDir }: RunPlace, adminDir: string): Promise<void> {
  const file = path.join(workspace, '.git');
  const text = await readFile(file, 'utf8').catch(() => '');
  const named = /^gitdir: (.+)\n?$/.exec(text)?.[1];
  const leadsTo = named && (await realpath(path.resolve(workspace, named)).catch(() => undefined));
  if (leadsTo === (await realpath(adminDir))) return;
  // A repository that an agent made in its place may hold commits: it is kept, not deleted.
  if (await isFolder(file))
    await rename(
      file,
      path.join(workerDir, `replaced-git-folder-${randomBytes(4).toString('hex')}`),
    );
  await rm(file, { force: true });
  await writeFile(file, `gitdir: ${adminDir}\n`);
}
