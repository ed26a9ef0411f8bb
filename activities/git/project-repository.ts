import { access } from 'node:fs/promises';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { askGit, git, type Repository } from './git.ts';

export interface ProjectRepository {
  repository: Repository;
  /** Root of the checkout the project lies in. */
  root: string;
  /** Object store that our repositories borrow from. */
  objects: string;
  objectFormat: 'sha1' | 'sha256';
  /** Boundary commits of a shallow clone, private ignore rules: files we must know of. */
  shallowFile: string | undefined;
  excludeFile: string | undefined;
}

/** Opens the user's repository; nothing is changed in it. */
export async function openProject(projectDir: string): Promise<ProjectRepository> {
  const repository: Repository = { kind: 'project', directory: projectDir };
  const answer = await askGit(repository, [
    'rev-parse',
    '--path-format=absolute',
    '--show-object-format',
    '--show-toplevel',
    '--git-path',
    'objects',
    '--git-path',
    'shallow',
    '--git-path',
    'info/exclude',
  ]);
  if (answer.exitCode !== 0)
    throw new WiggumError(
      'NOT_A_REPOSITORY',
      `${projectDir} is not in a git checkout: ${answer.stderr.trim()}`,
      { where: projectDir },
    );
  const [format, root = '', objects = '', shallow = '', exclude = ''] = answer.stdout.split('\n');
  return {
    repository,
    root,
    objects,
    objectFormat: format === 'sha256' ? 'sha256' : 'sha1',
    shallowFile: await whenThere(shallow),
    excludeFile: await whenThere(exclude),
  };
}

/** The branch a task merges into: the one that was asked for, checked out, or the usual one. */
export async function targetBranch(
  { repository }: ProjectRepository,
  asked?: string,
): Promise<string> {
  if (asked) return asked;
  const checkedOut = await askGit(repository, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  if (checkedOut.exitCode === 0) return checkedOut.stdout;
  const remote = await askGit(repository, [
    'symbolic-ref',
    '--quiet',
    '--short',
    'refs/remotes/origin/HEAD',
  ]);
  const candidates = [remote.stdout.replace(/^origin\//, ''), 'main', 'master'].filter(Boolean);
  for (const candidate of candidates)
    if (await tipOf(repository, `refs/heads/${candidate}`)) return candidate;
  throw new WiggumError(
    'NO_COMMIT',
    `HEAD of ${repositoryName(repository)} is detached and there is no branch ${candidates.join(' or ')}`,
    { where: repositoryName(repository) },
  );
}

/** The commit a ref points at; undefined when there is no such ref. */
export async function tipOf(repository: Repository, ref: string): Promise<string | undefined> {
  const answer = await askGit(repository, [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${ref}^{commit}`,
  ]);
  return answer.exitCode === 0 ? answer.stdout : undefined;
}

/** Whether one commit is contained in another. */
export async function isAncestor(
  repository: Repository,
  ancestor: string,
  descendant: string,
): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', ancestor, descendant];
  const answer = await askGit(repository, args);
  if (answer.exitCode > 1) await git(repository, args);
  return answer.exitCode === 0;
}

function repositoryName(repository: Repository): string {
  return repository.kind === 'project' ? repository.directory : repository.gitDir;
}

async function whenThere(file: string): Promise<string | undefined> {
  return access(file).then(
    () => file,
    () => undefined,
  );
}
