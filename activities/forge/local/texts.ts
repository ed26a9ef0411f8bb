import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PULL_REQUEST_FILES } from '../../../config/pull-request-file.ts';
import type { RunPlace } from '../../../workflows/domain/agent.ts';
import { renderDescription } from '../../../workflows/domain/pull-request.ts';
import type { StepRecord } from '../../../workflows/domain/task.ts';
import { entriesOf, git, type Repository } from '../../git/git.ts';
import { changesBetween } from '../../git/parsed-git.ts';

export interface Compared {
  publisher: Repository;
  base: string;
  head: string;
}

const LARGEST_DIFF = 16 * 1024 * 1024;
const PLAIN = ['--no-ext-diff', '--no-textconv', '--no-color', '--no-renames'];

/** Writes the description of a pull request: requirements, changelog, steps, metrics (checklist 117). */
export async function writeDescription(
  folder: string,
  place: RunPlace,
  { publisher, base, head, steps }: Compared & { steps: readonly StepRecord[] },
): Promise<void> {
  const log = await git(publisher, [
    'log',
    '-z',
    '--reverse',
    '--format=%H %s',
    `${base}..${head}`,
  ]);
  const { changed, insertions, deletions } = await changesBetween(publisher, base, head);
  const text = renderDescription({
    prd: await readFile(path.join(place.workerDir, 'prd.md'), 'utf8').catch(() => ''),
    commits: entriesOf(log).map((line) => ({
      id: line.slice(0, line.indexOf(' ')),
      subject: line.slice(line.indexOf(' ') + 1),
    })),
    changes: { files: changed, insertions, deletions },
    steps,
  });
  await writeFile(path.join(folder, PULL_REQUEST_FILES.description), text);
}

/** Writes the diff; one that nobody could read is replaced by its outline. */
export async function writeDiff(
  folder: string,
  { publisher, base, head }: Compared,
): Promise<void> {
  const file = path.join(folder, PULL_REQUEST_FILES.diff);
  // git writes the file itself: the size of a change has no limit, our memory has.
  await git(publisher, ['diff', ...PLAIN, `--output=${file}`, base, head]);
  if ((await stat(file)).size <= LARGEST_DIFF) return;
  await git(publisher, ['diff', ...PLAIN, '--stat', `--output=${file}`, base, head]);
}
