import path from 'node:path';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { identity } from '../git/fixed-commit.ts';
import { askGit, entriesOf, filesBelow, git, type Repository } from '../git/git.ts';
import { isAncestor, tipOf } from '../git/project-repository.ts';
import { enterWorkspace } from '../git/task-repository.ts';

export type TargetMerge =
  | { kind: 'up-to-date' }
  /** In files and index, not yet committed. */
  | { kind: 'merged'; lockFiles: string[] }
  /** Files and index hold the conflict; `lockFiles` are settled. */
  | { kind: 'conflict'; files: string[]; lockFiles: string[]; head: string; base: string }
  /** Files that may not be committed keep git from beginning. */
  | { kind: 'in-the-way'; files: string[] };

/** Merges the target, as the task repository knows it, into files and index; or moves the branch on to it. */
export async function mergeTarget(place: RunPlace, target: string): Promise<TargetMerge> {
  const { tree } = await enterWorkspace(place);
  const base = await git(tree, ['rev-parse', '--verify', `refs/heads/${target}`]);
  const head = await git(tree, ['rev-parse', '--verify', 'HEAD']);
  if (await isAncestor(tree, base, head)) return { kind: 'up-to-date' };
  const answer = await askGit(
    tree,
    // By its name, which then stands behind the markers.
    ['merge', '--quiet', '--ff', '--no-commit', '--no-stat', `heads/${target}`],
    { environment: identity(), timeoutMs: MERGE_TIMEOUT_MS },
  );
  if ((await tipOf(tree, 'HEAD')) === base) return { kind: 'up-to-date' };
  const isMerging = (await tipOf(tree, 'MERGE_HEAD')) === base;
  if (isMerging && answer.exitCode === 0) return { kind: 'merged', lockFiles: [] };
  const conflicts = await unmerged(tree);
  if (!isMerging || conflicts.length === 0) {
    const files = filesBelow('would be overwritten by merge', answer.stderr);
    if (files.length > 0) return { kind: 'in-the-way', files };
    throw new WiggumError('GIT_FAILED', `git merge: ${answer.stderr.trim()}`, {
      where: place.taskId,
    });
  }
  const lockFiles = conflicts.filter(isLockFile);
  await takeTargetsSide(tree, base, lockFiles);
  const files = conflicts.filter((file) => !isLockFile(file));
  if (files.length === 0) return { kind: 'merged', lockFiles };
  return { kind: 'conflict', files, lockFiles, head, base };
}

const MERGE_TIMEOUT_MS = 280_000;

async function unmerged(tree: Repository): Promise<string[]> {
  const files = await git(tree, ['diff', '--name-only', '--diff-filter=U', '-z']);
  return [...new Set(entriesOf(files))];
}

/** What package managers write for themselves: nobody merges it line by line. */
const LOCK_FILES = new Set([
  'Cargo.lock',
  'Gemfile.lock',
  'bun.lock',
  'bun.lockb',
  'composer.lock',
  'flake.lock',
  'go.sum',
  'package-lock.json',
  'pnpm-lock.yaml',
  'poetry.lock',
  'uv.lock',
  'yarn.lock',
]);

function isLockFile(file: string): boolean {
  return LOCK_FILES.has(path.posix.basename(file));
}

async function takeTargetsSide(
  tree: Repository,
  base: string,
  files: readonly string[],
): Promise<void> {
  if (files.length === 0) return;
  const input = files.map((file) => `:(literal)${file}`).join('\0');
  const fromInput = ['--pathspec-from-file=-', '--pathspec-file-nul'];
  // As if it were unchanged here; then what the target deleted can go too, without an overlay.
  await git(tree, ['reset', '--quiet', 'HEAD', ...fromInput], { input });
  await git(tree, ['checkout', '--quiet', '--no-overlay', base, ...fromInput], { input });
}
