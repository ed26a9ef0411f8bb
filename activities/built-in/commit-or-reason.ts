import type { RunPlace } from '../../workflows/domain/agent.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { commitStep, type StepCommit } from '../git/commit.ts';

/** Commits what lies in the workspace; gives the reason when that must not be committed. */
export async function commitOrReason(
  place: RunPlace,
  commit: StepCommit,
): Promise<string | undefined> {
  try {
    await commitStep(place, commit);
    return undefined;
  } catch (error) {
    if (error instanceof WiggumError && error.code === 'COMMIT_REFUSED') return error.message;
    throw error;
  }
}
