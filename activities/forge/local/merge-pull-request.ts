import type { RunPlace } from '../../../workflows/domain/agent.ts';
import { WiggumError } from '../../../workflows/domain/errors.ts';
import { authorOf } from '../../git/author.ts';
import { tipOf } from '../../git/project-repository.ts';
import { openPublisher, publishBranch } from '../../git/publish.ts';
import { squashMerge, type SquashMerged } from '../../git/squash-merge.ts';
import { readRecord, saveRecord } from './records.ts';

export interface MergePullRequest {
  place: RunPlace;
  number: number;
  /** Seconds since 1970, the same on every retry. */
  timestamp: number;
}

/** Merges a pull request into its target branch, once: a merge that is there already is reported. */
export async function mergePullRequest({
  place,
  number,
  timestamp,
}: MergePullRequest): Promise<SquashMerged> {
  const record = await readRecord(place, number);
  if (record.mergedAs) return { kind: 'merged', commit: record.mergedAs };
  if (record.state === 'closed')
    throw new WiggumError('PULL_REQUEST_MISSING', `pull request ${number} was closed`, {
      where: record.url,
    });
  const publisher = await openPublisher(place);
  // Somebody removed the publisher: the task's own repository still has the branch.
  if (!(await tipOf(publisher, record.head))) await publishBranch(place);
  const merged = await squashMerge({
    place,
    publisher,
    ...record,
    timestamp,
    author: await authorOf(place),
  });
  if (merged.kind === 'merged')
    await saveRecord(place.ralphDir, { ...record, state: 'merged', mergedAs: merged.commit });
  return merged;
}
