import { simpleGit, type DiffResult, type SimpleGit } from 'simple-git';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { TIMEOUT_MS, environmentOf, workingDirectory, type Repository } from './git.ts';

/** Files, insertions and deletions between two commits. */
export function changesBetween(
  repository: Repository,
  from: string,
  to: string,
): Promise<DiffResult> {
  return read(repository, (git) => git.diffSummary(['--no-ext-diff', '--no-renames', from, to]));
}

/*
 * The second leaf of the door: simple-git, where its parsers spare us ours. Environment and
 * settings are those of git.ts.
 */
async function read<Result>(
  repository: Repository,
  ask: (git: SimpleGit) => PromiseLike<Result>,
): Promise<Result> {
  const directory = workingDirectory(repository);
  try {
    return await ask(openSimpleGit(repository));
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new WiggumError('GIT_FAILED', `git could not be read: ${message.trim()}`, {
      where: directory,
      cause,
    });
  }
}

function openSimpleGit(repository: Repository): SimpleGit {
  const environment = environmentOf(repository);
  if (repository.kind === 'ours') {
    environment.GIT_DIR = repository.gitDir;
    if (repository.workTree) environment.GIT_WORK_TREE = repository.workTree.directory;
  }
  return simpleGit({
    baseDir: workingDirectory(repository),
    timeout: { block: TIMEOUT_MS },
    // Our settings are on simple-git's list of dangerous ones: they name hooks, helper, editor and
    // pager in order to switch them off.
    unsafe: {
      allowUnsafeHooksPath: true,
      allowUnsafeFsMonitor: true,
      allowUnsafeProtocolOverride: true,
      allowUnsafeCredentialHelper: true,
      allowUnsafeConfigPaths: true,
      allowUnsafeConfigEnvCount: true,
      allowUnsafeEditor: true,
      allowUnsafePager: true,
    },
    allowEnvironment: Object.keys(environment),
  }).env(environment);
}
