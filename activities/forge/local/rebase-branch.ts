import { pullRequestFolder } from '../../../config/pull-request-file.ts';
import type { RunPlace } from '../../../workflows/domain/agent.ts';
import { authorOf } from '../../git/author.ts';
import { openPublisher, publishBranch } from '../../git/publish.ts';
import { rebaseOnto, type Rebased } from '../../git/rebase.ts';
import { readRecord, saveRecord } from './records.ts';
import { writeDiff } from './texts.ts';

/** Puts a pull request's branch on top of its target and publishes it; a conflict changes nothing. */
export async function rebaseBranch({
  place,
  number,
}: {
  place: RunPlace;
  number: number;
}): Promise<Rebased> {
  const record = await readRecord(place, number);
  const rebased = await rebaseOnto(place, record.target, await authorOf(place));
  if (rebased.kind === 'conflict') return rebased;
  const { head } = await publishBranch(place);
  const { base } = rebased;
  const publisher = await openPublisher(place);
  await writeDiff(pullRequestFolder(place.ralphDir, number), { publisher, base, head });
  await saveRecord(place.ralphDir, { ...record, head, base });
  return rebased;
}
