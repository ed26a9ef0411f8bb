import type { RunPlace } from '../../workflows/domain/agent.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { commitStep, type StepCommit } from './commit.ts';

/** Neither is there when nothing was to be committed. */
export interface CommitOrReason {
  commit?: string;
  /** Why it must not be committed, with the files named. */
  refusal?: string;
}

/** Commits what lies in the workspace; gives the reason when that must not be committed. */
export async function commitOrReason(place: RunPlace, step: StepCommit): Promise<CommitOrReason> {
  try {
    const { commit } = await commitStep(place, step);
    return commit ? { commit } : {};
  } catch (error) {
    if (error instanceof WiggumError && error.code === 'COMMIT_REFUSED')
      return { refusal: error.message };
    throw error;
  }
}
