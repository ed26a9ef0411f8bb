import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { makeBorrowingRepository } from './borrowing-repository.ts';
import { git, type Repository } from './git.ts';
import { openProject, targetBranch, tipOf, type ProjectRepository } from './project-repository.ts';
import { baseRef, runKey, taskBranch } from './run-names.ts';
import { removeStaleLocks, waitForGit } from './stale-locks.ts';
import {
  discard,
  enterWorkspace,
  isFolder,
  isThere,
  taskAdminDir,
  taskGitDir,
} from './task-repository.ts';
import { readMarker, writeMarker, type WorkspaceMarker } from './workspace-marker.ts';

export interface CreatedWorkspace {
  branch: string;
  base: string;
  target: string;
}

/**
 * Makes the workspace of a task run, or adopts the one that an earlier attempt made or half made.
 * Order of evidence: task repository with its marker, base ref in the project, worktree, ready file.
 */
export async function createWorkspace(
  place: RunPlace,
  options: { target?: string } = {},
): Promise<CreatedWorkspace> {
  runKey(place); // a name that is none stops here, before it becomes a folder
  const project = await openProject(place.projectDir);
  await mkdir(place.workerDir, { recursive: true });
  await waitForGit(place.workerDir);
  await sweepUnfinished(place.workerDir);
  const gitDir = taskGitDir(place);
  if (!(await isThere(gitDir))) {
    if (!(await isFree(place.workspace))) throw foreign(place);
    await makeTaskRepository(place, project, options.target);
  }
  const marker = await readMarker(gitDir, place);
  await keepBaseAlive(place, project.repository, marker.base);
  await removeStaleLocks(gitDir);
  await makeWorktree(place, marker);
  await enterWorkspace(place);
  return { branch: taskBranch(place), base: marker.base, target: marker.target };
}

async function makeTaskRepository(
  place: RunPlace,
  project: ProjectRepository,
  asked: string | undefined,
): Promise<void> {
  const target = await targetBranch(project, asked);
  const base = await tipOf(project.repository, `refs/heads/${target}`);
  if (!base)
    throw new WiggumError('NO_COMMIT', `branch ${target} of ${place.projectDir} has no commit`, {
      where: place.projectDir,
    });
  await makeBorrowingRepository(taskGitDir(place), project, async (unfinished, pinned) => {
    const repository: Repository = { kind: 'ours', gitDir: unfinished };
    // An explicit commit, never a moving name: every later attempt starts from the same one.
    await git(repository, ['update-ref', `refs/heads/${target}`, base]);
    await git(repository, ['update-ref', `refs/heads/${taskBranch(place)}`, base]);
    await writeMarker(unfinished, { key: runKey(place), base, target, pinned });
  });
}

async function keepBaseAlive(place: RunPlace, project: Repository, base: string): Promise<void> {
  const ref = baseRef(place);
  // After a rebase the ref stands further on; what stands there is ours by its name.
  if (await tipOf(project, ref)) return;
  await git(project, ['update-ref', '--end-of-options', ref, base, '']);
}

async function makeWorktree(place: RunPlace, marker: WorkspaceMarker): Promise<void> {
  const { workspace } = place;
  const adminDir = taskAdminDir(place);
  const ready = path.join(adminDir, READY);
  if ((await isThere(ready)) && (await isFolder(workspace))) return;
  if (!(await isFree(workspace)) && !(await isHalfMade(workspace, adminDir))) throw foreign(place);
  // Nobody has worked in what was never ready. git itself would refuse to remove its own
  // `locked initializing` entry, so both halves go by hand.
  await discard(workspace);
  await rm(adminDir, { recursive: true, force: true });

  const gitDir = taskGitDir(place);
  const bare: Repository = { kind: 'ours', gitDir };
  const branch = taskBranch(place);
  if (!(await tipOf(bare, `refs/heads/${branch}`)))
    await git(bare, ['update-ref', `refs/heads/${branch}`, marker.base, '']);
  // The files come in a command of their own: `worktree add` would leave them to a child that
  // outlives it when it is killed.
  await git(bare, ['worktree', 'add', '--quiet', '--no-checkout', '--', workspace, branch]);
  const tree: Repository = {
    kind: 'ours',
    gitDir: adminDir,
    workTree: { directory: workspace, commonDir: gitDir },
  };
  await git(tree, ['read-tree', '--reset', '-u', 'HEAD'], { timeoutMs: CHECKOUT_TIMEOUT_MS });
  await writeFile(ready, `${marker.key}\n`);
}

const READY = 'wiggum-ready';
const CHECKOUT_TIMEOUT_MS = 280_000;

/** Whether the folder at the workspace's place is the rest of a `worktree add` of ours. */
async function isHalfMade(workspace: string, adminDir: string): Promise<boolean> {
  if (!(await isFolder(workspace))) return false;
  const text = await readFile(path.join(workspace, '.git'), 'utf8').catch(() => '');
  const tail = adminDir.split(path.sep).slice(-4).join(path.sep);
  return text.startsWith('gitdir: ') && text.trim().endsWith(tail);
}

/** Whether nothing, or an empty folder, stands at a path. */
async function isFree(folder: string): Promise<boolean> {
  if (!(await isThere(folder))) return true;
  return (await isFolder(folder)) && (await readdir(folder)).length === 0;
}

async function sweepUnfinished(workerDir: string): Promise<void> {
  const rests = (await readdir(workerDir)).filter((name) =>
    /^(repo\.git|workspace)\.unfinished-[0-9a-f]{8}$/.test(name),
  );
  await Promise.all(
    rests.map((name) => rm(path.join(workerDir, name), { recursive: true, force: true })),
  );
}

function foreign({ workspace, taskId }: RunPlace): WiggumError {
  return new WiggumError('WORKSPACE_FOREIGN', `${workspace} is not a workspace of ours`, {
    where: taskId,
  });
}
