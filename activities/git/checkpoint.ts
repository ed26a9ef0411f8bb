import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { writeCommit } from './fixed-commit.ts';
import { askGit, entriesOf, git } from './git.ts';
import { namedObjects, OPERATIONS, operationFiles } from './operations.ts';
import { indexTime, innerGitFolders, nestedRepositories, snapshotFiles } from './snapshot.ts';
import { enterWorkspace, isThere, type Workspace } from './task-repository.ts';

const CHECKPOINTS = 'refs/wiggum/checkpoint/';

/** What a checkpoint knows beside files and index. */
const recordSchema = z.object({
  head: z.union([z.object({ branch: z.string() }), z.object({ commit: z.string() })]),
  refs: z.array(z.object({ name: z.string(), id: z.string() })),
  indexTime: z.number(),
  stashLog: z.string().nullable(),
  exclude: z.string().nullable(),
  /** Ignored files and folders, and repositories of their own: they are left alone later. */
  ignored: z.array(z.string()),
  nested: z.array(z.string()),
  operations: z.array(z.string()),
  /** Absent in checkpoints of older versions: then nothing of the kind is put back or removed. */
  operationFiles: z.array(z.object({ name: z.string(), base64: z.string() })).optional(),
  innerGitFolders: z.array(z.string()).optional(),
});
export type CheckpointRecord = z.infer<typeof recordSchema>;

/**
 * Remembers a workspace before a readonly step, in a commit: files with untracked ones, index, refs,
 * stash, HEAD, a merge in progress. The first checkpoint of a key counts: a retry comes after the
 * step may have begun.
 */
export async function takeCheckpoint(place: RunPlace, key: string): Promise<{ commit: string }> {
  const known = await checkpointOf(place, key);
  if (known) return { commit: known };
  const workspace = await enterWorkspace(place);
  const commit = await writeCheckpoint(workspace);
  // The ref keeps the objects alive, the note says which they are: an agent can move a ref with an
  // ordinary git command, the note lies outside of its workspace.
  await git(workspace.bare, ['update-ref', `${CHECKPOINTS}${slugOf(key)}`, commit]);
  await writeNote(noteFile(place, key), commit);
  return { commit };
}

/** The commit of a checkpoint; empty when none was taken under the key. */
export async function checkpointOf(place: RunPlace, key: string): Promise<string> {
  return (await readFile(noteFile(place, key), 'utf8').catch(() => '')).trim();
}

/** Finds the checkpoint of a key again. */
export async function readCheckpoint(
  { tree, place }: Workspace,
  key: string,
): Promise<{ commit: string; record: CheckpointRecord }> {
  const commit = await checkpointOf(place, key);
  const answer = await askGit(tree, ['cat-file', 'blob', `${commit || 'none'}:record.json`]);
  if (!commit || answer.exitCode !== 0)
    throw new WiggumError('WORKSPACE_GONE', `the checkpoint ${key} has vanished`, {
      where: place.taskId,
    });
  return { commit, record: recordSchema.parse(JSON.parse(answer.stdout)) };
}

/** Refs of the task repository without those that belong to checkpoints. */
export async function refsOf({ tree }: Workspace): Promise<CheckpointRecord['refs']> {
  const list = await git(tree, ['for-each-ref', '--format=%(objectname) %(refname)']);
  return list
    .split('\n')
    .filter((line) => line !== '' && !line.includes(` ${CHECKPOINTS}`))
    .map((line) => ({
      id: line.slice(0, line.indexOf(' ')),
      name: line.slice(line.indexOf(' ') + 1),
    }));
}

async function writeCheckpoint(workspace: Workspace): Promise<string> {
  const { tree, gitDir, adminDir } = workspace;
  const record = await describe(workspace);
  const files = await snapshotFiles(workspace);
  const index = await git(tree, [
    'hash-object',
    '-w',
    '--no-filters',
    path.join(adminDir, 'index'),
  ]);
  const note = await git(tree, ['hash-object', '-w', '--stdin'], {
    input: JSON.stringify(record),
  });
  // An index in the middle of a merge has no tree; its blobs are then kept by the files alone.
  const staged = await askGit(tree, ['write-tree']);
  const { commits, trees } = await namedObjects(workspace, record.operationFiles ?? []);
  const entries = [
    `040000 tree ${files}\tfiles`,
    `100644 blob ${index}\tindex`,
    `100644 blob ${note}\trecord.json`,
    ...(staged.exitCode === 0 ? [`040000 tree ${staged.stdout}\tstaged`] : []),
    ...trees.map((tree) => `040000 tree ${tree}\tnamed-${tree}`),
  ];
  return writeCommit(
    { kind: 'ours', gitDir },
    {
      tree: await git(tree, ['mktree'], { input: `${entries.join('\n')}\n` }),
      parents: [...new Set([...(await commitsOf(workspace, record)), ...commits])],
      message: 'checkpoint\n',
      timestamp: 0,
    },
  );
}

async function describe(workspace: Workspace): Promise<CheckpointRecord> {
  const { tree, gitDir, adminDir } = workspace;
  const head = await askGit(tree, ['symbolic-ref', '--quiet', 'HEAD']);
  const ignored = await git(tree, [
    'ls-files',
    '--others',
    '--ignored',
    '--exclude-standard',
    '--directory',
    '-z',
  ]);
  const operations: string[] = [];
  for (const name of OPERATIONS)
    if (await isThere(path.join(adminDir, name))) operations.push(name);
  return {
    head:
      head.exitCode === 0
        ? { branch: head.stdout }
        : { commit: await git(tree, ['rev-parse', '--verify', 'HEAD']) },
    refs: await refsOf(workspace),
    indexTime: await indexTime(path.join(adminDir, 'index')),
    stashLog: await textOf(path.join(gitDir, 'logs/refs/stash')),
    exclude: await textOf(path.join(gitDir, 'info/exclude')),
    ignored: entriesOf(ignored),
    nested: await nestedRepositories(workspace),
    innerGitFolders: await innerGitFolders(workspace),
    operations,
    operationFiles: await operationFiles(workspace),
  };
}

/** The commits of HEAD and all refs: the checkpoint keeps them from being collected. */
async function commitsOf({ tree }: Workspace, { refs }: CheckpointRecord): Promise<string[]> {
  const commits = new Set([await git(tree, ['rev-parse', '--verify', 'HEAD'])]);
  for (const { id } of refs) {
    const answer = await askGit(tree, ['rev-parse', '--verify', '--quiet', `${id}^{commit}`]);
    if (answer.exitCode === 0) commits.add(answer.stdout);
  }
  return [...commits];
}

async function writeNote(file: string, commit: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const beside = `${file}.${randomBytes(4).toString('hex')}`;
  await writeFile(beside, `${commit}\n`);
  await rename(beside, file);
}

function noteFile({ workerDir }: RunPlace, key: string): string {
  return path.join(workerDir, 'restore-points', slugOf(key));
}

function slugOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 24);
}

async function textOf(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(() => null);
}
