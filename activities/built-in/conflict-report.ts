import type { RunPlace } from '../../workflows/domain/agent.ts';
import { git, type Repository } from '../git/git.ts';
import { taskBranch } from '../git/run-names.ts';
import { enterWorkspace } from '../git/task-repository.ts';
import type { TargetMerge } from './merge-target.ts';

/** Tells whoever resolves a conflict which files it is in, and who changed them last on either side. */
export async function conflictReport(
  place: RunPlace,
  target: string,
  merge: Extract<TargetMerge, { kind: 'conflict' }>,
): Promise<string[]> {
  const { tree } = await enterWorkspace(place);
  const { head, base, files } = merge;
  const lines = [
    `# Conflicts: ${place.taskId}`,
    '',
    `\`${target}\` is being merged into \`${taskBranch(place)}\`. The next commit concludes the merge.`,
  ];
  for (const file of files.slice(0, MOST_FILES))
    lines.push(
      '',
      `## ${file}`,
      '',
      `- ${target}: ${await lastChange(tree, `${head}..${base}`, file)}`,
      `- task: ${await lastChange(tree, `${base}..${head}`, file)}`,
    );
  if (files.length > MOST_FILES) lines.push('', `${files.length - MOST_FILES} more files.`);
  return [...lines, ...lockFileLines(target, merge.lockFiles)];
}

/** Tells which files took the target's side. */
export function lockFileReport(
  place: RunPlace,
  target: string,
  lockFiles: readonly string[],
): string[] {
  return [`# Merge of ${target}: ${place.taskId}`, ...lockFileLines(target, lockFiles)];
}

/** Each costs two git commands. */
const MOST_FILES = 50;

async function lastChange(tree: Repository, range: string, file: string): Promise<string> {
  const args = ['log', '-1', '--no-show-signature', '--format=%h %s (%an, %as)', range, '--', file];
  const found = await git(tree, args, { environment: { GIT_LITERAL_PATHSPECS: '1' } });
  return found || 'no commit of its own: it was moved, or the other side made it a conflict';
}

function lockFileLines(target: string, lockFiles: readonly string[]): string[] {
  if (lockFiles.length === 0) return [];
  const names = lockFiles.map((file) => `- ${file}`);
  return ['', `## Taken from ${target} as they are there`, '', ...names];
}
