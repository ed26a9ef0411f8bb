/** A pull request as the forge keeps it; the text lies beside it in a file. */
export interface PullRequest {
  number: number;
  taskId: string;
  epoch: number;
  title: string;
  branch: string;
  target: string;
  /** Commit at the tip of the branch. */
  head: string;
  base: string;
  state: 'open' | 'merged' | 'closed';
  /** Commit on the target branch that brought it in. */
  mergedAs?: string;
  /** Where a person can read it. */
  url: string;
}
