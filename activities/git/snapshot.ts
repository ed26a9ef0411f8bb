import { randomBytes } from 'node:crypto';
import { copyFile, realpath, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { entriesOf, git } from './git.ts';
import { isThere, type Workspace } from './task-repository.ts';

/** Repositories inside the workspace: git names them with a slash and does not look into them. */
export async function nestedRepositories({ tree }: Workspace): Promise<string[]> {
  const untracked = await git(tree, ['ls-files', '--others', '--exclude-standard', '-z']);
  return untracked.split('\0').filter((file) => file.endsWith('/'));
}

/**
 * What makes repositories of folders with tracked files: their `.git`, file or folder. git looks into
 * such a folder as if it were not there, and so names none of them.
 */
export async function innerGitFolders({ tree, place }: Workspace): Promise<string[]> {
  const tracked = entriesOf(await git(tree, ['ls-files', '-z']));
  const folders = new Set<string>();
  for (const file of tracked)
    for (
      let at = path.posix.dirname(file);
      at !== '.' && !folders.has(at);
      at = path.posix.dirname(at)
    )
      folders.add(at);
  const found: string[] = [];
  await Promise.all(
    [...folders].map(async (folder) => {
      if (!(await isThere(path.join(place.workspace, folder, '.git')))) return;
      // Behind a link that an agent put in the place of a folder it is somebody else's.
      const real = path.join(await realpath(place.workspace), folder);
      if ((await realpath(path.join(place.workspace, folder))) === real)
        found.push(`${folder}/.git`);
    }),
  );
  return found;
}

/** Writes all files that are not ignored, tracked or not, into a tree; index and files stay. */
export async function snapshotFiles(workspace: Workspace): Promise<string> {
  return withScratchIndex(workspace, async (environment) => {
    await stageEverything(workspace, environment);
    return git(workspace.tree, ['write-tree'], { environment });
  });
}

/** Makes the files equal to a tree: changes, additions and deletions since then are undone. */
export async function restoreFiles(workspace: Workspace, files: string): Promise<void> {
  await withScratchIndex(workspace, async (environment) => {
    // With everything staged, git itself knows what to write and what to delete.
    await stageEverything(workspace, environment);
    await git(workspace.tree, ['read-tree', '--reset', '-u', files], { environment });
  });
}

/** Lends a copy of the index that is thrown away afterwards. */
export async function withScratchIndex<Result>(
  { adminDir }: Workspace,
  use: (environment: { GIT_INDEX_FILE: string }) => Promise<Result>,
): Promise<Result> {
  const scratch = path.join(adminDir, `wiggum-index-${randomBytes(4).toString('hex')}`);
  try {
    await copyIndex(path.join(adminDir, 'index'), scratch);
    return await use({ GIT_INDEX_FILE: scratch });
  } finally {
    await rm(scratch, { force: true });
    await rm(`${scratch}.lock`, { force: true });
  }
}

async function stageEverything(
  workspace: Workspace,
  environment: { GIT_INDEX_FILE: string },
): Promise<void> {
  const nested = await nestedRepositories(workspace);
  const paths = ['.', ...nested.map((folder) => `:(exclude,literal)${folder}`)];
  await git(workspace.tree, ['add', '--all', '--pathspec-from-file=-', '--pathspec-file-nul'], {
    environment,
    input: paths.join('\0'),
  });
}

async function copyIndex(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
    await setIndexTime(to, await indexTime(from));
  } catch (cause) {
    // Without an index git begins with an empty one.
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
  }
}

/** When an index was written, in whole seconds: the unit in which git compares. */
export async function indexTime(index: string): Promise<number> {
  return Math.floor((await stat(index)).mtimeMs / 1000);
}

/**
 * Gives a copied index the age of the first. git takes files that are as young as the index for
 * possibly changed and reads them; a younger copy would hide a change made in the same second.
 */
export async function setIndexTime(index: string, seconds: number): Promise<void> {
  await utimes(index, seconds, seconds);
}
