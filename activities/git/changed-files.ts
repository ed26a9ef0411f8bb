import type { RunPlace } from '../../workflows/domain/agent.ts';
import { entriesOf, git } from './git.ts';
import { enterWorkspace } from './task-repository.ts';

/** Files that a task run has changed, added or deleted since its base, committed or not. */
export async function changedFiles(place: RunPlace): Promise<string[]> {
  const { tree, marker } = await enterWorkspace(place);
  const changed = await git(tree, [
    'diff',
    '--name-only',
    '--no-renames',
    '--no-ext-diff',
    '--ignore-submodules',
    '-z',
    marker.base,
    '--',
  ]);
  const added = await git(tree, ['ls-files', '--others', '--exclude-standard', '-z']);
  return [...new Set([...entriesOf(changed), ...entriesOf(added)])].sort();
}
