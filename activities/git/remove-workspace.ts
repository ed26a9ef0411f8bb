import { lstat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { writeCommit } from './fixed-commit.ts';
import { askGit, git, type Repository } from './git.ts';
import { openProject, tipOf } from './project-repository.ts';
import { QUIET_FETCH, publisherDir } from './publish.ts';
import { baseRef, rescueRef, runKey, taskBranch } from './run-names.ts';
import { snapshotFiles } from './snapshot.ts';
import {
  discard,
  enterWorkspace,
  isFolder,
  taskGitDir,
  type Workspace,
} from './task-repository.ts';
import { readMarker } from './workspace-marker.ts';

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
  await readMarker(gitDir, place);
  const rescuedFile = path.join(gitDir, RESCUED);
  let rescued: string | undefined;
  // Once rescued, a retry must not look again: it would see a half deleted workspace as changes.
  if (!(await isThere(rescuedFile)) && (await isFolder(place.workspace))) {
    rescued = await rescue(await enterWorkspace(place));
    await writeFile(rescuedFile, '');
  }
  await discard(place.workspace);
  await releaseBase(place);
  // The repository goes last and in one move: its marker proves that the rest is ours.
  await discard(gitDir);
  return rescued ? { rescued } : {};
}

const RESCUED = 'wiggum-rescued';

async function rescue(workspace: Workspace): Promise<string | undefined> {
  const { tree, bare, gitDir, place } = workspace;
  const { repository: project } = await openProject(place.projectDir);
  const head = await git(tree, ['rev-parse', '--verify', 'HEAD']);
  const files = await snapshotFiles(workspace);
  const isDirty = files !== (await git(tree, ['rev-parse', 'HEAD^{tree}']));
  const unsaved = await unsavedTips(workspace);
  if (!isDirty && unsaved.length === 0) return undefined;

  const before = await tipOf(project, rescueRef(place));
  const commit = await writeCommit(bare, {
    tree: files,
    parents: [...new Set([head, ...unsaved, ...(before ? [before] : [])])],
    message: `${place.taskId}: rescued from ${runKey(place)}\n`,
    // The time of what is rescued: a retry makes the same commit.
    timestamp: Number(await git(tree, ['log', '-1', '--no-show-signature', '--format=%ct'])),
  });
  if (before && (await sameWork(bare, before, commit))) return before;
  await git(bare, ['update-ref', 'refs/wiggum/rescue', commit]);
  const refspec = `+refs/wiggum/rescue:${rescueRef(place)}`;
  await git(project, ['fetch', ...QUIET_FETCH, gitDir, refspec]);
  return commit;
}

/** Tips of branches, stash and HEAD with commits that are neither published nor the project's. */
async function unsavedTips({ tree, marker, place }: Workspace): Promise<string[]> {
  const refs = ['refs/heads', 'refs/stash'];
  const listed = await git(tree, ['for-each-ref', '--format=%(objectname)', ...refs]);
  const tips = new Set([...listed.split('\n'), await git(tree, ['rev-parse', 'HEAD'])]);
  const published: Repository = { kind: 'ours', gitDir: publisherDir(place) };
  const saved = [
    marker.base,
    await tipOf(tree, `refs/heads/${marker.target}`),
    (await isFolder(published.gitDir))
      ? await tipOf(published, `refs/heads/${taskBranch(place)}`)
      : undefined,
  ].filter((commit) => commit !== undefined);
  const unsaved: string[] = [];
  for (const tip of tips) {
    const range = [tip, '--not', ...saved];
    const answer = await askGit(tree, ['rev-list', '--count', '--ignore-missing', ...range]);
    if (answer.exitCode !== 0 || answer.stdout !== '0') unsaved.push(tip);
  }
  return unsaved;
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

async function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

function foreign(folder: string, { taskId }: RunPlace): WiggumError {
  return new WiggumError('WORKSPACE_FOREIGN', `${folder} is not a workspace of ours`, {
    where: taskId,
  });
}
