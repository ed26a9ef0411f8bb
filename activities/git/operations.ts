import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { git } from './git.ts';
import type { Workspace } from './task-repository.ts';

/** Merges, rebases and picks in progress, as files and folders of the private git folder. */
export const OPERATIONS = [
  'MERGE_HEAD',
  'MERGE_MSG',
  'MERGE_MODE',
  'MERGE_AUTOSTASH',
  'AUTO_MERGE',
  'SQUASH_MSG',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'REBASE_HEAD',
  'BISECT_START',
  'BISECT_LOG',
  'BISECT_NAMES',
  'BISECT_TERMS',
  'BISECT_HEAD',
  'BISECT_EXPECTED_REV',
  'BISECT_ANCESTORS_OK',
  'BISECT_FIRST_PARENT',
  'BISECT_RUN',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
] as const;

/** A file of an operation; `name` is its path in the private git folder. */
export interface OperationFile {
  name: string;
  base64: string;
}

/** More is no merge that a person or an agent left half-way. */
const MAX_FILES = 500;
const MAX_BYTES = 4 << 20;

/** Reads what stands of the operations in progress; of one that is too large, nothing. */
export async function operationFiles({ adminDir }: Workspace): Promise<OperationFile[]> {
  const files: OperationFile[] = [];
  for (const operation of OPERATIONS) {
    const names = await filesOf(adminDir, operation);
    const sizes = await Promise.all(
      names.map(async (name) => (await lstat(path.join(adminDir, name))).size),
    );
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    if (names.length > MAX_FILES || bytes > MAX_BYTES) continue;
    for (const name of names)
      files.push({ name, base64: await readFile(path.join(adminDir, name), 'base64') });
  }
  return files;
}

/** The commits and trees that operations name, as far as they are there. */
export async function namedObjects(
  { tree }: Workspace,
  files: readonly OperationFile[],
): Promise<{ commits: string[]; trees: string[] }> {
  const ids = new Set(
    files.flatMap(({ base64 }) => Buffer.from(base64, 'base64').toString('latin1').match(ID) ?? []),
  );
  const found = await git(tree, ['cat-file', '--batch-check=%(objecttype) %(objectname)'], {
    input: [...ids].map((id) => `${id}\n`).join(''),
  });
  const of = (type: string) =>
    found
      .split('\n')
      .filter((line) => line.startsWith(`${type} `))
      .map((line) => line.slice(type.length + 1));
  return { commits: of('commit'), trees: of('tree') };
}

const ID = /\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g;

/** Ordinary files only: an agent may have put anything else there. */
async function filesOf(adminDir: string, operation: string): Promise<string[]> {
  const found = await lstat(path.join(adminDir, operation)).catch(() => undefined);
  if (found?.isFile()) return [operation];
  if (!found?.isDirectory()) return [];
  const entries = await readdir(path.join(adminDir, operation), {
    recursive: true,
    withFileTypes: true,
  });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(adminDir, path.join(entry.parentPath, entry.name)));
}
