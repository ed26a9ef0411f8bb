import { access } from 'node:fs/promises';

/** Whether a file or folder can be reached at a path; a link counts for what it leads to. */
export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
