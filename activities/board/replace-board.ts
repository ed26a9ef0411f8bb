import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, statSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSame, settle, SETTLE_MS, type OpenBoard } from '../../config/open-board.ts';
import { syncFolder } from '../durable-file.ts';
import { ownFilesPrefix } from '../file-lock.ts';

/**
 * Puts new bytes in the place of a board, unless it is no longer the board that was read: then false
 * and nothing is changed. Old or new, never a mix, whenever the process dies. The caller holds the lock.
 */
export async function replaceBoard(seen: OpenBoard, bytes: Buffer): Promise<boolean> {
  const draft = `${ownFilesPrefix(seen.file)}new-${randomUUID()}`;
  const ready = `${draft}-ready`;
  try {
    await writeBeside(draft, seen, bytes);
    if (!holdsStill(seen)) return false;
    // A folder is renamed in one at a time: after this rename of ours no other one is under way.
    renameSync(draft, ready);
    // Synchronous and back to back: what remains between the look and the rename is microseconds.
    if (!isStill(seen)) return false;
    renameSync(ready, seen.file);
  } finally {
    await rm(draft, { force: true });
    await rm(ready, { force: true });
  }
  await syncFolder(dirname(seen.file));
  return true;
}

/** Bytes that someone wrote into the old file after all, in the very moment in which it was replaced. */
export async function writtenMeanwhile(seen: OpenBoard): Promise<Buffer | undefined> {
  // Who had opened the old file before it was replaced has had the time to write into it.
  await sleep(SETTLE_MS);
  if (isSame(seen.stats, await seen.handle.stat({ bigint: true }))) return undefined;
  await settle(seen.handle);
  const { size } = await seen.handle.stat();
  const { buffer, bytesRead } = await seen.handle.read(Buffer.alloc(size), 0, size, 0);
  return buffer.subarray(0, bytesRead);
}

/** Whether the board still is the one that was read, byte for byte: time stamps of some disks are coarse. */
export function holdsStill(seen: OpenBoard): boolean {
  return isStill(seen) && orGone(() => readFileSync(seen.file).equals(seen.bytes));
}

function isStill(seen: OpenBoard): boolean {
  return orGone(() => isSame(seen.stats, statSync(seen.file, { bigint: true })));
}

/** A board that is gone, for a moment or for good, is not the one that was read. */
function orGone(look: () => boolean): boolean {
  try {
    return look();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw cause;
  }
}

async function writeBeside(draft: string, { stats }: OpenBoard, bytes: Buffer) {
  const handle = await open(draft, 'wx', 0o600);
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
