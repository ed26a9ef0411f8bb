import { randomUUID } from 'node:crypto';
import { renameSync, statSync, type BigIntStats } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ownFilesPrefix } from './board-lock.ts';
import { settle, type OpenBoard } from './open-board.ts';

/**
 * Puts new bytes in the place of a board, unless it is no longer the board that was read: then false
 * and nothing is changed. Old or new, never a mix, whenever the process dies. The caller holds the lock
 * and has opened the board settled.
 */
export async function replaceBoard(seen: OpenBoard, bytes: Buffer): Promise<boolean> {
  const temporary = `${ownFilesPrefix(seen.file)}new-${randomUUID()}`;
  try {
    await writeBeside(temporary, seen, bytes);
    if (!(await readFile(seen.file)).equals(seen.bytes)) return false;
    // Synchronous and back to back: what remains between the look and the rename is microseconds.
    if (!isSame(statSync(seen.file, { bigint: true }), seen.stats)) return false;
    renameSync(temporary, seen.file);
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(dirname(seen.file));
  return true;
}

/** Bytes that someone wrote into the old file in the very moment in which it was replaced. */
export async function writtenMeanwhile(seen: OpenBoard): Promise<Buffer | undefined> {
  if (isSame(await seen.handle.stat({ bigint: true }), seen.stats)) return undefined;
  await settle(seen.handle);
  const { size } = await seen.handle.stat();
  const { buffer, bytesRead } = await seen.handle.read(Buffer.alloc(size), 0, size, 0);
  return buffer.subarray(0, bytesRead);
}

function isSame(now: BigIntStats, before: BigIntStats): boolean {
  return (
    now.dev === before.dev &&
    now.ino === before.ino &&
    now.size === before.size &&
    now.mtimeNs === before.mtimeNs
  );
}

async function writeBeside(temporary: string, { stats }: OpenBoard, bytes: Buffer) {
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    const { uid, gid } = await handle.stat({ bigint: true });
    // Before the mode: a change of owner clears some of its bits.
    if (uid !== stats.uid || gid !== stats.gid)
      await handle.chown(Number(stats.uid), Number(stats.gid)).catch(ignoreRefusal);
    await handle.chmod(Number(stats.mode & 0o7777n));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Only root may give files away; the content matters more than the owner. */
function ignoreRefusal(cause: NodeJS.ErrnoException): void {
  if (cause.code !== 'EPERM') throw cause;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
