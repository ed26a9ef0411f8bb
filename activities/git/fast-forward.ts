import { lstat, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { askGit, entriesOf, git, type Repository } from './git.ts';

/** A step of a branch from one commit to a child of it. */
export interface Move {
  /** Has both commits, and the project's objects. */
  publisher: Repository;
  ref: string;
  from: string;
  to: string;
  projectRoot: string;
  ralphDir: string;
  /** For the reflog. */
  message: string;
  environment: Readonly<Record<string, string>>;
}

export type Obstacles =
  | { kind: 'blocked'; reason: string }
  /** Paths that already have their new content: an earlier attempt died in the middle. */
  | { kind: 'clear'; alreadyThere: string[] };

/**
 * Looks whether a checkout may follow its branch: no tracked change outside `.ralph/`, and no path of
 * the move is changed or has an untracked file in the way.
 */
export async function obstaclesOf(directory: string, move: Move): Promise<Obstacles> {
  const checkout: Repository = { kind: 'project', directory };
  const touched = new Set(await pathsOf(move, []));
  const changed = (await trackedChanges(checkout)).filter(
    (file) => touched.has(file) || !isOurs(file, move),
  );
  const inTheWay = await untrackedInTheWay(checkout, await pathsOf(move, ['--diff-filter=A']));
  const suspects = [...new Set([...changed, ...inTheWay])].filter((file) => touched.has(file));
  const alreadyThere = await standingAsIn(checkout, move, suspects);
  const left = (files: readonly string[]) => files.filter((file) => !alreadyThere.includes(file));
  const faults = [
    ...naming(left(changed), 'is changed', 'commit or stash it'),
    ...naming(left(inTheWay), 'is in the way and not tracked', 'move it away'),
  ];
  if (faults.length === 0) return { kind: 'clear', alreadyThere };
  const branch = move.ref.replace('refs/heads/', '');
  return {
    kind: 'blocked',
    reason: `${branch} is checked out in ${directory}: ${faults.join('; ')}`,
  };
}

/**
 * Moves a checkout and its branch. Files first: killed in between, the checkout shows changes that
 * equal the merge, and the next attempt goes on; the other way round a person could undo the merge
 * by committing. A string says why git refused; undefined that the branch should be looked at again.
 */
export async function fastForward(
  directory: string,
  move: Move,
  alreadyThere: readonly string[],
): Promise<string | undefined> {
  const checkout: Repository = { kind: 'project', directory };
  const { from, to, ref, environment, message } = move;
  await takeOver(checkout, move, alreadyThere);
  // Files that were only touched must not count as changed; its exit code tells of the others.
  await askGit(checkout, ['update-index', '-q', '--refresh']);
  const files = await askGit(checkout, ['read-tree', '-m', '-u', from, to]);
  if (files.exitCode !== 0)
    return `git will not update ${directory}: ${files.stderr.trim().split('\n').slice(0, 3).join(' ')}`;
  const branch = await askGit(checkout, ['update-ref', '-m', message, ref, to, from], {
    environment,
  });
  // Somebody moved the branch in this moment: the files go back to what it was.
  if (branch.exitCode !== 0) await askGit(checkout, ['read-tree', '-m', '-u', to, from]);
  return undefined;
}

async function pathsOf({ publisher, from, to }: Move, filter: string[]): Promise<string[]> {
  const args = ['diff', '--no-ext-diff', '--no-renames', '--name-only', '-z', ...filter, from, to];
  return entriesOf(await git(publisher, args));
}

async function trackedChanges(checkout: Repository): Promise<string[]> {
  const status = await git(checkout, [
    'status',
    '--porcelain=v1',
    '-z',
    '--untracked-files=no',
    '--ignore-submodules=dirty',
    '--no-renames',
  ]);
  return entriesOf(status).map((entry) => entry.slice('XY '.length));
}

// The board and the records of runs change all the time, and may be tracked.
function isOurs(file: string, { projectRoot, ralphDir }: Move): boolean {
  const folder = path.relative(projectRoot, ralphDir).split(path.sep).join('/');
  return folder !== '' && !folder.startsWith('..') && file.startsWith(`${folder}/`);
}

/** New paths whose place is taken: by a file, a folder, or a file where a folder must be. */
async function untrackedInTheWay(
  checkout: Repository,
  added: readonly string[],
): Promise<string[]> {
  if (checkout.kind !== 'project' || added.length === 0) return [];
  const tracked = new Set(entriesOf(await git(checkout, ['ls-files', '-z'])));
  const found = new Set<string>();
  for (const file of added) {
    const parts = file.split('/');
    for (let length = 1; length <= parts.length; length += 1) {
      const place = parts.slice(0, length).join('/');
      const there = await lstat(path.join(checkout.directory, place)).catch(() => undefined);
      if (!there) break;
      if (there.isDirectory()) continue;
      if (!tracked.has(place)) found.add(place);
      break;
    }
  }
  return [...found];
}

/** Those of the paths whose file equals the new commit, and whose index entry is old or new. */
async function standingAsIn(
  checkout: Repository,
  { publisher, from, to }: Move,
  candidates: readonly string[],
): Promise<string[]> {
  if (checkout.kind !== 'project' || candidates.length === 0) return [];
  const [old, young, staged] = [
    await entriesIn(publisher, ['ls-tree', '-r', '-z', '--full-tree', from], candidates),
    await entriesIn(publisher, ['ls-tree', '-r', '-z', '--full-tree', to], candidates),
    await entriesIn(checkout, ['ls-files', '--stage', '-z'], candidates),
  ];
  const differing = await differingFiles(checkout, young);
  const standing: string[] = [];
  for (const file of candidates) {
    const entry = staged.get(file);
    if (entry !== old.get(file) && entry !== young.get(file)) continue;
    const isSame = young.has(file)
      ? !differing.includes(file)
      : !(await lstat(path.join(checkout.directory, file)).catch(() => undefined));
    if (isSame) standing.push(file);
  }
  return standing;
}

/** What a tree or index has at some paths: `<mode> <id>`; a path in conflict has several, joined. */
async function entriesIn(
  repository: Repository,
  list: readonly string[],
  files: readonly string[],
): Promise<Map<string, string>> {
  const wanted = new Set(files);
  const entries = new Map<string, string>();
  for (const line of entriesOf(await git(repository, list))) {
    const [facts = '', file = ''] = [
      line.slice(0, line.indexOf('\t')),
      line.slice(line.indexOf('\t') + 1),
    ];
    if (!wanted.has(file)) continue;
    // `<mode> <type> <id>` of a tree, `<mode> <id> <stage>` of an index.
    const [mode, ...others] = facts.split(' ');
    const id = others.find((word) => word.length >= SHORTEST_ID);
    entries.set(file, [entries.get(file), `${mode} ${id}`].filter(Boolean).join(' '));
  }
  return entries;
}

const SHORTEST_ID = 40;

/** Lets git compare, through the user's own filters and line endings, with an index of its own. */
async function differingFiles(
  checkout: Repository,
  entries: ReadonlyMap<string, string>,
): Promise<string[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'wiggum-index-'));
  const environment = { GIT_INDEX_FILE: path.join(folder, 'index') };
  try {
    await git(checkout, ['update-index', '-z', '--index-info'], {
      environment,
      input: [...entries].map(([file, entry]) => `${entry}\t${file}\0`).join(''),
    });
    await askGit(checkout, ['update-index', '-q', '--refresh'], { environment });
    return entriesOf(await git(checkout, ['diff-files', '--name-only', '-z'], { environment }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Notes in the index what an earlier attempt already wrote; git would take it for a change. */
async function takeOver(checkout: Repository, move: Move, files: readonly string[]): Promise<void> {
  if (files.length === 0) return;
  const entries = await entriesIn(
    move.publisher,
    ['ls-tree', '-r', '-z', '--full-tree', move.to],
    files,
  );
  const gone = `0 ${'0'.repeat(move.to.length)}`;
  await git(checkout, ['update-index', '-z', '--index-info'], {
    input: files.map((file) => `${entries.get(file) ?? gone}\t${file}\0`).join(''),
  });
}

function naming(files: readonly string[], state: string, way: string): string[] {
  if (files.length === 0) return [];
  const some = files.slice(0, MOST_NAMED).join(', ');
  const more = files.length > MOST_NAMED ? ` (and ${files.length - MOST_NAMED} more)` : '';
  return [`${some}${more} ${state}; ${way}`];
}

const MOST_NAMED = 10;
