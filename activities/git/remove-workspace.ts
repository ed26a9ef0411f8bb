import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { writeCommit } from './fixed-commit.ts';
import { askGit, git, type Repository } from './git.ts';
import { openProject, tipOf } from './project-repository.ts';
import { QUIET_FETCH, publisherDir } from './publish.ts';
import { baseRef, rescueRef, runKey, taskBranch } from './run-names.ts';
import { nestedRepositories, snapshotFiles } from './snapshot.ts';
import {
  discard,
  enterWorkspace,
  isFolder,
  isThere,
  taskGitDir,
  type Workspace,
} from './task-repository.ts';
import { readMarker, type WorkspaceMarker } from './workspace-marker.ts';

/**
 * Deletes a task run's workspace and repository, and only ours. What is not committed or not
 * published goes under a rescue ref of the project first.
 */
export async function removeWorkspace(place: RunPlace): Promise<{ rescued?: string }> {
  const gitDir = taskGitDir(place);
  if (!(await isThere(gitDir))) {
    if (await isThere(place.workspace)) throw foreign(place.workspace, place);
    return {};
  }
  const marker = await readMarker(gitDir, place);
  const rescuedFile = path.join(gitDir, RESCUED);
  let rescued: string | undefined;
  // Once rescued, a retry must not look again: it would see a half deleted workspace as changes.
  if (!(await isThere(rescuedFile))) {
    rescued = await rescue(place, marker);
    await writeFile(rescuedFile, '');
  }
  await discard(place.workspace);
  await releaseBase(place);
  // The repository goes last and in one move: its marker proves that the rest is ours.
  await discard(gitDir);
  return rescued ? { rescued } : {};
}

const RESCUED = 'wiggum-rescued';

async function rescue(place: RunPlace, marker: WorkspaceMarker): Promise<string | undefined> {
  const gitDir = taskGitDir(place);
  const bare: Repository = { kind: 'ours', gitDir };
  const { repository: project } = await openProject(place.projectDir);
  const left = await leftInWorkspace(place);
  const unsaved = await unsavedTips(place, { bare, project, marker, head: left?.head });
  // Without a workspace there are no files to keep, only commits.
  const tree = left?.isDirty || !unsaved[0] ? left?.files : await treeOf(bare, unsaved[0]);
  if (!tree || (!left?.isDirty && unsaved.length === 0)) return undefined;

  const before = await tipOf(project, rescueRef(place));
  const tips = left ? [left.head, ...unsaved] : unsaved;
  const commit = await writeCommit(bare, {
    tree,
    parents: [...new Set([...tips, ...(before ? [before] : [])])],
    message: `${place.taskId}: rescued from ${runKey(place)}\n`,
    // The time of what is rescued: a retry makes the same commit.
    timestamp: Number(await git(bare, ['log', '-1', '--format=%ct', tips[0] ?? marker.base])),
  });
  if (before && (await sameWork(bare, before, commit))) return before;
  await git(bare, ['update-ref', 'refs/wiggum/rescue', commit]);
  const refspec = `+refs/wiggum/rescue:${rescueRef(place)}`;
  await git(project, ['fetch', ...QUIET_FETCH, gitDir, refspec]);
  return commit;
}

interface Left {
  head: string;
  /** Tree of all files that are not ignored. */
  files: string;
  isDirty: boolean;
}

async function leftInWorkspace(place: RunPlace): Promise<Left | undefined> {
  if (!(await isFolder(place.workspace))) return undefined;
  const workspace = await enterWorkspace(place);
  await keepNestedRepositories(workspace);
  const head = await git(workspace.tree, ['rev-parse', '--verify', 'HEAD']);
  const files = await snapshotFiles(workspace);
  return { head, files, isDirty: files !== (await treeOf(workspace.bare, head)) };
}

/** A repository that an agent made in its workspace has a history of its own: it is put aside whole. */
async function keepNestedRepositories(workspace: Workspace): Promise<void> {
  const { workspace: from, workerDir } = workspace.place;
  for (const folder of await nestedRepositories(workspace)) {
    const to = path.join(workerDir, 'kept-repositories', folder);
    await mkdir(path.dirname(to), { recursive: true });
    await rename(path.join(from, folder), to);
  }
}

/** Tips of branches, stash and HEAD with commits that are neither published nor the project's. */
async function unsavedTips(
  place: RunPlace,
  {
    bare,
    project,
    marker,
    head,
  }: {
    bare: Repository;
    project: Repository;
    marker: WorkspaceMarker;
    head: string | undefined;
  },
): Promise<string[]> {
  const refs = ['refs/heads', 'refs/stash'];
  const listed = await git(bare, ['for-each-ref', '--format=%(objectname)', ...refs]);
  const tips = new Set([...(head ? [head] : []), ...listed.split('\n').filter(Boolean)]);
  const published: Repository = { kind: 'ours', gitDir: publisherDir(place) };
  const saved = [
    marker.base,
    await tipOf(project, baseRef(place)),
    await tipOf(project, `refs/heads/${marker.target}`),
    (await isFolder(published.gitDir))
      ? await tipOf(published, `refs/heads/${taskBranch(place)}`)
      : undefined,
  ].filter((commit) => commit !== undefined);
  const unsaved: string[] = [];
  for (const tip of tips) {
    const range = [tip, '--not', ...saved];
    const answer = await askGit(bare, ['rev-list', '--count', '--ignore-missing', ...range]);
    if (answer.exitCode !== 0 || answer.stdout !== '0') unsaved.push(tip);
  }
  return unsaved;
}

function treeOf(repository: Repository, commit: string): Promise<string> {
  return git(repository, ['rev-parse', `${commit}^{tree}`]);
}

async function sameWork(bare: Repository, before: string, now: string): Promise<boolean> {
  const [old, young] = await Promise.all(
    [before, now].map((commit) => git(bare, ['rev-parse', `${commit}^{tree}`, `${commit}^1`])),
  );
  return old === young;
}

/** Lets go of the base, unless the publisher's branch still borrows from it. */
async function releaseBase(place: RunPlace): Promise<void> {
  const published: Repository = { kind: 'ours', gitDir: publisherDir(place) };
  if (
    (await isFolder(published.gitDir)) &&
    (await tipOf(published, `refs/heads/${taskBranch(place)}`))
  )
    return;
  const { repository } = await openProject(place.projectDir);
  await git(repository, ['update-ref', '-d', baseRef(place)]);
}

function foreign(folder: string, { taskId }: RunPlace): WiggumError {
  return new WiggumError('WORKSPACE_FOREIGN', `${folder} is not a workspace of ours`, {
    where: taskId,
  });
}
