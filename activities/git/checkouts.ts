import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { askGit, entriesOf, git, type Repository } from './git.ts';
import { isFolder, isThere } from './task-repository.ts';

/** How the user's checkouts, linked worktrees included, hold a branch. */
export type BranchUse =
  | { kind: 'free' }
  | { kind: 'checked-out'; directory: string }
  /** It must not be moved now. */
  | { kind: 'busy'; reason: string };

/** Looks who has a branch checked out, and whether something is going on with it there. */
export async function branchUse(project: Repository, ref: string): Promise<BranchUse> {
  const name = ref.replace('refs/heads/', '');
  const holders: string[] = [];
  for (const checkout of await checkoutsOf(project)) {
    if (!(await isFolder(checkout.directory))) {
      // One that is locked lies on a disk that comes back, with an index that would not fit then.
      if (checkout.ref === ref && checkout.locked)
        return busy(`${name} is checked out in ${checkout.directory}, which is not there now`);
      continue;
    }
    const operation = await operationIn(checkout, name);
    if (operation) return busy(`a ${operation} of ${name} is going on in ${checkout.directory}`);
    if (checkout.ref === ref) holders.push(checkout.directory);
  }
  const [directory, ...others] = holders;
  if (directory === undefined) return { kind: 'free' };
  if (others.length > 0) return busy(`${name} is checked out twice: ${holders.join(' and ')}`);
  return { kind: 'checked-out', directory };
}

interface Checkout {
  directory: string;
  /** Undefined when it stands on no branch. */
  ref: string | undefined;
  locked: boolean;
}

async function checkoutsOf(project: Repository): Promise<Checkout[]> {
  const list = await git(project, ['worktree', 'list', '--porcelain', '-z']);
  return list
    .split('\0\0')
    .map(entriesOf)
    .filter((lines) => lines.length > 0 && !lines.includes('bare'))
    .map((lines) => ({
      directory: valueOf(lines, 'worktree') ?? '',
      ref: valueOf(lines, 'branch'),
      locked: lines.some((line) => line === 'locked' || line.startsWith('locked ')),
    }));
}

function valueOf(lines: readonly string[], key: string): string | undefined {
  return lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1);
}

/** What a person has begun with a branch and not ended. */
async function operationIn(
  { directory, ref }: Checkout,
  name: string,
): Promise<string | undefined> {
  const answer = await askGit({ kind: 'project', directory }, ['rev-parse', '--absolute-git-dir']);
  if (answer.exitCode !== 0) return undefined;
  const gitDir = answer.stdout;
  // During these two HEAD stands on no branch; a file remembers which one it will return to.
  for (const file of ['rebase-merge/head-name', 'rebase-apply/head-name'])
    if ((await firstLine(path.join(gitDir, file))) === `refs/heads/${name}`) return 'rebase';
  if ((await firstLine(path.join(gitDir, 'BISECT_START'))) === name) return 'bisect';
  if (ref !== `refs/heads/${name}`) return undefined;
  for (const [file, operation] of OPERATIONS)
    if (await isThere(path.join(gitDir, file))) return operation;
  return undefined;
}

const OPERATIONS = [
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
] as const;

async function firstLine(file: string): Promise<string | undefined> {
  return (await readFile(file, 'utf8').catch(() => '')).split('\n')[0];
}

function busy(reason: string): BranchUse {
  return { kind: 'busy', reason };
}
