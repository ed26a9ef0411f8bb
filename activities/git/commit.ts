import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { authorOf } from './author.ts';
import { stagedConflictMarkers } from './conflict-markers.ts';
import { stagedBehindFilter } from './filtered-files.ts';
import { writeCommit } from './fixed-commit.ts';
import { entriesOf, git } from './git.ts';
import { tipOf } from './project-repository.ts';
import { taskBranch } from './run-names.ts';
import { isNamedLikeSecret } from './secret-files.ts';
import { baseOf, returnToBranch } from './task-branch.ts';
import { enterWorkspace, type Workspace } from './task-repository.ts';

export interface StepCommit {
  message: string;
  /** The same on every retry; stands in the commit as a trailer. */
  key: string;
  /** Seconds since 1970, the same on every retry. */
  timestamp: number;
}

export interface Committed {
  /** Undefined when there was nothing to commit. */
  commit?: string;
  /** Files that were left out: named like secrets, or repositories of their own. */
  refusedFiles: string[];
}

/** Commits everything a step changed or added, once per key. */
export async function commitStep(place: RunPlace, step: StepCommit): Promise<Committed> {
  const workspace = await enterWorkspace(place);
  const { tree } = workspace;
  await returnToBranch(workspace);
  const base = await baseOf(workspace);
  const done = await commitOfStep(workspace, base, step.key);
  if (done) {
    // A merge that it concluded may be left by a death behind the commit.
    if (done === (await tipOf(tree, 'HEAD'))) await endOperation(workspace);
    return { commit: done, refusedFiles: await refusedFiles(workspace, base) };
  }

  const refused = await refusedFiles(workspace, base);
  await stageAllBut(workspace, base, refused);
  const isOurs = await changedSince(workspace, base);
  const marked = (await stagedConflictMarkers(tree)).filter(isOurs);
  if (marked.length > 0)
    throw new WiggumError('COMMIT_REFUSED', `conflict markers in ${marked.join(', ')}`, {
      where: place.taskId,
    });

  const filtered = (await stagedBehindFilter(tree)).filter(isOurs);
  if (filtered.length > 0)
    throw new WiggumError(
      'COMMIT_REFUSED',
      `${filtered.join(', ')}: git filters (as of LFS) do not run in a workspace, so these files must stay as they are`,
      { where: place.taskId },
    );

  const head = await git(tree, ['rev-parse', '--verify', 'HEAD']);
  const staged = await git(tree, ['write-tree']);
  const merged = await tipOf(tree, 'MERGE_HEAD');
  if (!merged && staged === (await git(tree, ['rev-parse', 'HEAD^{tree}'])))
    return { refusedFiles: refused };
  const commit = await writeCommit(tree, {
    tree: staged,
    parents: merged ? [head, merged] : [head],
    message: `${step.message.trimEnd()}\n\n${TRAILER}: ${step.key}\n`,
    timestamp: step.timestamp,
    author: await authorOf(place),
  });
  await git(tree, ['update-ref', `refs/heads/${taskBranch(place)}`, commit, head]);
  await endOperation(workspace);
  return { commit, refusedFiles: refused };
}

const TRAILER = 'Wiggum-Step';

async function commitOfStep(
  { tree }: Workspace,
  base: string,
  key: string,
): Promise<string | undefined> {
  const log = await git(tree, [
    'log',
    '-z',
    `--format=%H %(trailers:key=${TRAILER},valueonly,separator=%x20)`,
    `${base}..HEAD`,
  ]);
  const line = log.split('\0').find((entry) => entry.slice(entry.indexOf(' ') + 1) === key);
  return line?.slice(0, line.indexOf(' '));
}

/** Changed and new files that stay out, also those an agent staged or committed by itself. */
async function refusedFiles({ tree }: Workspace, base: string): Promise<string[]> {
  const compare = ['--name-only', '--diff-filter=d', '--no-renames', '-z'];
  const [changed, untracked, committed] = await Promise.all([
    git(tree, ['diff', '--ignore-submodules=dirty', ...compare, 'HEAD']),
    git(tree, ['ls-files', '--others', '--exclude-standard', '-z']),
    git(tree, ['diff', ...compare, base, 'HEAD']),
  ]);
  const secrets = [changed, untracked, committed].flatMap(entriesOf).filter(isNamedLikeSecret);
  // With a slash at its end git names a repository inside ours: it would become a submodule that
  // nobody can fetch.
  const repositories = entriesOf(untracked).filter((file) => file.endsWith('/'));
  return [...new Set([...secrets, ...repositories])].sort();
}

async function stageAllBut(
  { tree }: Workspace,
  base: string,
  refused: readonly string[],
): Promise<void> {
  const fromInput = ['--pathspec-from-file=-', '--pathspec-file-nul'];
  const excluded = refused.map((file) => `:(exclude,literal)${file}`);
  await git(tree, ['add', '--all', ...fromInput], { input: ['.', ...excluded].join('\0') });
  if (refused.length === 0) return;
  // What an agent staged or committed itself goes back to what the task began with.
  await git(tree, ['reset', '--quiet', base, ...fromInput], {
    input: refused.map((file) => `:(literal)${file}`).join('\0'),
  });
}

/** Tells the task's own changes from what a merge brings in. */
async function changedSince({ tree }: Workspace, base: string): Promise<(file: string) => boolean> {
  const changed = await git(tree, ['diff', '--cached', '--no-renames', '--name-only', '-z', base]);
  const files = new Set(entriesOf(changed));
  return (file) => files.has(file);
}

/** Forgets a merge or pick that this commit has concluded. */
async function endOperation({ adminDir }: Workspace): Promise<void> {
  const files = ['MERGE_HEAD', 'MERGE_MSG', 'MERGE_MODE', 'AUTO_MERGE', 'CHERRY_PICK_HEAD'];
  await Promise.all(files.map((name) => rm(path.join(adminDir, name), { force: true })));
}
