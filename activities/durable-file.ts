import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a file whole or not at all, also when the power goes: beside it, to the disk, renamed. */
export async function writeDurably(file: string, text: string): Promise<void> {
  const beside = `${file}.${randomUUID()}.new`;
  try {
    await writeToDisk(beside, text);
    await rename(beside, file);
  } catch (cause) {
    // A full disk must not get fuller with every retry.
    await rm(beside, { force: true });
    throw cause;
  }
  await syncFolder(dirname(file));
}

/** Brings the names in a folder to the disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Reads a text file; undefined when there is none. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    // Node does not say which file it was that turned out to be a folder.
    throw Object.assign(cause as Error, { path: file });
  }
}

async function writeToDisk(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
