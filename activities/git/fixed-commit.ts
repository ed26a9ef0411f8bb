import { AUTHOR } from './borrowing-repository.ts';
import { git, type Repository } from './git.ts';

export interface Author {
  name: string;
  email: string;
}

export interface FixedCommit {
  tree: string;
  parents: readonly string[];
  message: string;
  /** Seconds since 1970. Chosen by the workflow, so that a retry makes the same commit id. */
  timestamp: number;
  author?: Author;
}

/** Writes a commit object of ours; the same input gives the same id, so a retry adds nothing. */
export function writeCommit(
  repository: Repository,
  { tree, parents, message, timestamp, author = AUTHOR }: FixedCommit,
): Promise<string> {
  return git(repository, ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])], {
    input: message,
    environment: { ...identity(author), ...dates(timestamp) },
  });
}

/** Who acts, as git wants to know it: for commits, reflogs and rebases. */
export function identity({ name, email }: Author = AUTHOR): Record<string, string> {
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}

function dates(timestamp: number): Record<string, string> {
  const date = `@${Math.floor(timestamp)} +0000`;
  return { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
}
