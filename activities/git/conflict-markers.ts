import { entriesOf, git, type Repository } from './git.ts';

/*
 * A row of seven `=` alone is no sign: it also underlines headings. A conflict that is left over
 * always has the opening or the closing line too.
 */
const MARKER = '^(<<<<<<< |>>>>>>> )';
const ADDED_MARKER = /^\+(<<<<<<< |>>>>>>> )/m;

/** Files whose staged content adds conflict markers. */
export async function stagedConflictMarkers(tree: Repository): Promise<string[]> {
  const compare = ['diff', '--cached', '--no-ext-diff', '--no-textconv', '--no-renames'];
  const touched = await git(tree, [...compare, '--name-only', '-z', `-G${MARKER}`, 'HEAD']);
  const marked: string[] = [];
  for (const file of entriesOf(touched)) {
    const patch = await git(tree, [...compare, '-U0', '--no-color', 'HEAD', '--', file], {
      environment: { GIT_LITERAL_PATHSPECS: '1' },
    });
    // `-G` also finds files that only lose markers, which is what a resolution does.
    if (ADDED_MARKER.test(patch)) marked.push(file);
  }
  return marked;
}
