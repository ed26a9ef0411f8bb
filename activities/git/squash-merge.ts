import type { RunPlace } from '../../workflows/domain/agent.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { branchUse } from './checkouts.ts';
import { fastForward, obstaclesOf, type Move } from './fast-forward.ts';
import { identity, writeCommit, type Author } from './fixed-commit.ts';
import { askGit, git, type Repository } from './git.ts';
import { isAncestor, openProject, tipOf, type ProjectRepository } from './project-repository.ts';
import { QUIET_FETCH } from './publish.ts';
import { mergeRef, runKey } from './run-names.ts';

export interface SquashMerge {
  place: RunPlace;
  publisher: Repository;
  number: number;
  title: string;
  target: string;
  /** Where the branch leaves the target, and its tip. */
  base: string;
  head: string;
  timestamp: number;
  author: Author;
}

export type SquashMerged =
  | { kind: 'merged'; commit: string }
  /** The target has commits that the branch does not contain. */
  | { kind: 'behind' }
  /** A person must do something in a checkout first. */
  | { kind: 'blocked'; reason: string };

/**
 * Brings a branch into its target as one commit. Look, act with the old value as the condition, look
 * again: our own merge is known by its trailers, whoever moved the target meanwhile wins.
 */
export async function squashMerge(merge: SquashMerge): Promise<SquashMerged> {
  const project = await openProject(merge.place.projectDir);
  for (let round = 1; ; round += 1) {
    const tip = await tipOf(project.repository, `refs/heads/${merge.target}`);
    if (!tip) throw vanished(merge);
    const done = await ownMerge(merge, tip);
    if (done) {
      await forgetMerge(merge, project.repository);
      return { kind: 'merged', commit: done };
    }
    if (!(await isAncestor(merge.publisher, tip, merge.head))) return { kind: 'behind' };
    const blocked = await tryMerge(merge, project, tip);
    if (blocked) return { kind: 'blocked', reason: blocked };
    if (round === MOST_ROUNDS)
      throw new WiggumError('GIT_FAILED', `${merge.target} could not be moved`, {
        where: merge.place.projectDir,
      });
  }
}

// One to act and one to see it; a third for a target that moved in between.
const MOST_ROUNDS = 4;

/** The commit of the target that a branch is to be compared with. */
export async function forkPoint(
  { projectDir }: Pick<RunPlace, 'projectDir'>,
  { publisher, target, head }: { publisher: Repository; target: string; head: string },
): Promise<string> {
  const { repository } = await openProject(projectDir);
  const tip = await tipOf(repository, `refs/heads/${target}`);
  if (!tip)
    throw new WiggumError('NO_COMMIT', `the branch ${target} has vanished`, { where: projectDir });
  const answer = await askGit(publisher, ['merge-base', tip, head]);
  return answer.exitCode === 0 ? answer.stdout : tip;
}

const PULL_REQUEST = 'Wiggum-Pull-Request';
const TASK_RUN = 'Wiggum-Task-Run';

/** Finds the merge that an earlier attempt made and did not live to report. */
async function ownMerge(merge: SquashMerge, tip: string): Promise<string | undefined> {
  const trailer = (key: string) => `%(trailers:key=${key},valueonly,separator=%x20)`;
  const log = await git(merge.publisher, [
    'log',
    '-z',
    `--format=%H ${trailer(PULL_REQUEST)} ${trailer(TASK_RUN)}`,
    `${merge.base}..${tip}`,
  ]);
  const wanted = `${merge.number} ${runKey(merge.place)}`;
  const line = log.split('\0').find((entry) => entry.slice(entry.indexOf(' ') + 1) === wanted);
  return line?.slice(0, line.indexOf(' '));
}

/** Acts once; undefined says no more than that it is worth looking again. */
async function tryMerge(
  merge: SquashMerge,
  { repository, root }: ProjectRepository,
  tip: string,
): Promise<string | undefined> {
  const { publisher, target, place } = merge;
  const ref = `refs/heads/${target}`;
  const use = await branchUse(repository, ref);
  if (use.kind === 'busy') return use.reason;
  const move: Move = {
    publisher,
    ref,
    from: tip,
    to: await writeSquash(merge, tip),
    projectRoot: root,
    ralphDir: place.ralphDir,
    message: `wiggum: merge pull request ${merge.number}`,
    environment: identity(merge.author),
  };
  const obstacles = use.kind === 'free' ? undefined : await obstaclesOf(use.directory, move);
  if (obstacles?.kind === 'blocked') return obstacles.reason;
  await bringMerge(merge, repository, move.to);
  if (use.kind === 'checked-out' && obstacles)
    return fastForward(use.directory, move, obstacles.alreadyThere);
  // Refused when somebody else moved the branch: the next look tells.
  await askGit(repository, ['update-ref', '-m', move.message, ref, move.to, tip], {
    environment: move.environment,
  });
  return undefined;
}

async function writeSquash(merge: SquashMerge, parent: string): Promise<string> {
  const { publisher, head, number, title, place, timestamp, author } = merge;
  return writeCommit(publisher, {
    tree: await git(publisher, ['rev-parse', `${head}^{tree}`]),
    parents: [parent],
    message: `${title}\n\n${PULL_REQUEST}: ${number}\n${TASK_RUN}: ${runKey(place)}\n`,
    timestamp,
    author,
  });
}

/** Copies the objects into the user's repository, held by a ref of ours until the branch has them. */
async function bringMerge(merge: SquashMerge, project: Repository, commit: string): Promise<void> {
  const ref = mergeRef(merge.place);
  await git(merge.publisher, ['update-ref', ref, commit]);
  const gitDir = merge.publisher.kind === 'ours' ? merge.publisher.gitDir : '';
  await git(project, ['fetch', ...QUIET_FETCH, gitDir, `+${ref}:${ref}`]);
}

async function forgetMerge({ place, publisher }: SquashMerge, project: Repository): Promise<void> {
  for (const repository of [project, publisher])
    if (await tipOf(repository, mergeRef(place)))
      await git(repository, ['update-ref', '-d', mergeRef(place)]);
}

function vanished({ target, place }: SquashMerge): WiggumError {
  return new WiggumError('NO_COMMIT', `the branch ${target} has vanished`, {
    where: place.projectDir,
  });
}
