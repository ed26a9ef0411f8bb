import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { readCheckpoint, refsOf, type CheckpointRecord } from './checkpoint.ts';
import { entriesOf, git, gitBytes } from './git.ts';
import { OPERATIONS } from './operations.ts';
import {
  innerGitFolders,
  nestedRepositories,
  restoreFiles,
  setIndexTime,
  snapshotFiles,
  withScratchIndex,
} from './snapshot.ts';
import { enterWorkspace, type Workspace } from './task-repository.ts';

/**
 * Puts a workspace back to its checkpoint after a readonly step: HEAD, branch, refs, stash, a merge
 * in progress, index and files, also untracked ones and uncommitted work of earlier steps. Ignored
 * files stay as they are. Each part is set, not changed, so a retry after a death in the middle ends
 * the same.
 */
export async function restoreCheckpoint(place: RunPlace, key: string): Promise<void> {
  const workspace = await enterWorkspace(place);
  const { commit, record } = await readCheckpoint(workspace, key);
  await restoreRefs(workspace, record);
  await restoreOperations(workspace, record);
  await restoreText(path.join(workspace.gitDir, 'logs/refs/stash'), record.stashLog);
  await restoreText(path.join(workspace.gitDir, 'info/exclude'), record.exclude);
  await restoreIndex(workspace, commit, record);
  await restoreIgnoreRules(workspace, commit, record);
  await removeNewRepositories(workspace, record);
  await restoreFiles(workspace, `${commit}:files`);

  const [wanted, found] = [
    await git(workspace.tree, ['rev-parse', `${commit}:files`]),
    await snapshotFiles(workspace),
  ];
  if (wanted !== found)
    throw new WiggumError('GIT_FAILED', `the files of checkpoint ${key} could not be restored`, {
      where: place.taskId,
    });
}

async function restoreRefs(workspace: Workspace, { refs, head }: CheckpointRecord): Promise<void> {
  const { tree } = workspace;
  const kept = new Set(refs.map(({ name }) => name));
  const extra = (await refsOf(workspace)).filter(({ name }) => !kept.has(name));
  // Two transactions: a new `a/b` must be gone before `a` can come back.
  await git(tree, ['update-ref', '--no-deref', '-z', '--stdin'], {
    input: extra.map(({ name }) => `delete ${name}\0\0`).join(''),
  });
  await git(tree, ['update-ref', '--no-deref', '-z', '--stdin'], {
    input: refs.map(({ name, id }) => `update ${name}\0${id}\0\0`).join(''),
  });
  if ('branch' in head) await git(tree, ['symbolic-ref', 'HEAD', head.branch]);
  else await git(tree, ['update-ref', '--no-deref', 'HEAD', head.commit]);
}

async function restoreOperations(
  { adminDir }: Workspace,
  { operations, operationFiles = [] }: CheckpointRecord,
): Promise<void> {
  for (const operation of OPERATIONS) {
    const files = operationFiles.filter(({ name }) => `${name}/`.startsWith(`${operation}/`));
    // One whose files are not on record (too large, or an older checkpoint) stays as it stands.
    if (files.length === 0 && operations.includes(operation)) continue;
    await rm(path.join(adminDir, operation), { recursive: true, force: true });
    for (const { name, base64 } of files) {
      const file = path.join(adminDir, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, base64, 'base64');
    }
  }
}

async function restoreText(file: string, text: string | null): Promise<void> {
  if (text === null) return rm(file, { force: true });
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function restoreIndex(
  { tree, adminDir }: Workspace,
  commit: string,
  record: CheckpointRecord,
): Promise<void> {
  const index = path.join(adminDir, 'index');
  await writeFile(
    `${index}.restored`,
    await gitBytes(tree, ['cat-file', 'blob', `${commit}:index`]),
  );
  await setIndexTime(`${index}.restored`, record.indexTime);
  await rename(`${index}.restored`, index);
}

/**
 * Brings the ignore rules back before anything is deleted by them. Otherwise a step could hide its
 * files behind a new rule, or have ignored folders taken for new files by dropping an old one.
 */
async function restoreIgnoreRules(
  workspace: Workspace,
  commit: string,
  { ignored }: CheckpointRecord,
): Promise<void> {
  const { tree, place } = workspace;
  const listed = await git(tree, ['ls-tree', '-r', '-z', '--name-only', `${commit}:files`]);
  const wanted = entriesOf(listed).filter(isRuleFile);
  await withScratchIndex(workspace, async (environment) => {
    await git(tree, ['read-tree', '--empty'], { environment });
    const everything = ['ls-files', '--others', '-z', '--', ':(glob)**/.gitignore'];
    const found = entriesOf(await git(tree, everything, { environment }));
    const isOld = (file: string) =>
      ignored.some((entry) => file === entry || (entry.endsWith('/') && file.startsWith(entry)));
    for (const file of found)
      if (!wanted.includes(file) && !isOld(file))
        await rm(path.join(place.workspace, file), { force: true });
    await git(tree, ['read-tree', `${commit}:files`], { environment });
    await git(tree, ['checkout-index', '--force', '-z', '--stdin'], {
      environment,
      input: wanted.map((file) => `${file}\0`).join(''),
    });
  });
}

async function removeNewRepositories(
  workspace: Workspace,
  { nested, innerGitFolders: inner }: CheckpointRecord,
): Promise<void> {
  const found = (await nestedRepositories(workspace)).filter((folder) => !nested.includes(folder));
  if (inner)
    found.push(...(await innerGitFolders(workspace)).filter((folder) => !inner.includes(folder)));
  for (const folder of found)
    await rm(path.join(workspace.place.workspace, folder), { recursive: true, force: true });
}

function isRuleFile(file: string): boolean {
  return path.posix.basename(file) === '.gitignore';
}
