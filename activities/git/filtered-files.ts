import { entriesOf, git, type Repository } from './git.ts';

/**
 * Files with staged changes that the project's git filters would rewrite. Our repositories have none of
 * these filters: what is committed here would not be what the project stores.
 */
export async function stagedBehindFilter(tree: Repository): Promise<string[]> {
  const changed = await git(tree, [
    'diff',
    '--cached',
    '--no-renames',
    '--name-only',
    '--diff-filter=d',
    '-z',
    'HEAD',
  ]);
  if (changed === '') return [];
  const answer = entriesOf(
    await git(tree, ['check-attr', '-z', '--stdin', 'filter'], { input: changed }),
  );
  // Path, attribute and value in turn.
  return answer.filter((_path, at) => at % 3 === 0 && !WITHOUT.includes(answer[at + 2] ?? ''));
}

const WITHOUT = ['unspecified', 'unset'];
