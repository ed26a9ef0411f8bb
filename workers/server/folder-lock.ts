import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { isAlive, ownIdentity } from '../../activities/process-identity.ts';
import { createFile } from '../../config/create-file.ts';

const RETRY_MS = 50;

const holderSchema = z.object({
  pid: z.number(),
  startTicks: z.string(),
  bootId: z.string(),
  released: z.boolean(),
});
type Holder = z.infer<typeof holderSchema>;

/**
 * Does some work while no other process does work under the same lock.
 *
 * The lock is a row of files `<name>.<generation>`; the highest one tells the holder. Who finds the
 * holder released or proven dead makes the next generation, which the file system grants to one
 * alone. The highest file is never removed, so a slow competitor cannot take a number that was
 * already used: that is the window which a lock that is deleted and made again leaves open.
 */
export async function withFolderLock<T>(
  { folder, name, onWait }: { folder: string; name: string; onWait: (pid: number) => void },
  work: () => Promise<T>,
): Promise<T> {
  const taken = await takeLock({ folder, name, onWait });
  try {
    return await work();
  } finally {
    await replaceFile(taken.file, JSON.stringify({ ...taken.holder, released: true }));
  }
}

async function takeLock({
  folder,
  name,
  onWait,
}: {
  folder: string;
  name: string;
  onWait: (pid: number) => void;
}): Promise<{ file: string; holder: Holder }> {
  const holder: Holder = { ...(await ownIdentity()), released: false };
  let waitsFor: number | undefined;
  for (;;) {
    const highest = Math.max(0, ...(await generations(folder, name)));
    const current = await readHolder(fileOf(folder, name, highest));
    if (current && !current.released && (await isAlive(current))) {
      if (waitsFor !== current.pid) onWait(current.pid);
      waitsFor = current.pid;
      await sleep(RETRY_MS);
      continue;
    }
    const file = fileOf(folder, name, highest + 1);
    if (await createFile(file, JSON.stringify(holder))) {
      const seen = await generations(folder, name);
      if (Math.max(...seen) === highest + 1) {
        await removeAll(seen.filter((n) => n <= highest).map((n) => fileOf(folder, name, n)));
        return { file, holder };
      }
      // Later generations came and cleared ours away before we made it: ours is worth nothing.
      await rm(file, { force: true });
    }
  }
}

function fileOf(folder: string, name: string, generation: number): string {
  return path.join(folder, `${name}.${generation}`);
}

async function generations(folder: string, name: string): Promise<number[]> {
  return (await readdir(folder))
    .filter((file) => file.startsWith(`${name}.`))
    .map((file) => file.slice(name.length + 1))
    .filter((rest) => /^\d+$/.test(rest))
    .map(Number);
}

async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    return holderSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    // Gone meanwhile, or not written by us: files of ours are whole from their first moment.
    return undefined;
  }
}

async function replaceFile(file: string, content: string): Promise<void> {
  const beside = `${file}.${randomUUID()}`;
  await writeFile(beside, content);
  await rename(beside, file);
}

async function removeAll(files: string[]): Promise<void> {
  await Promise.all(files.map((file) => rm(file, { force: true })));
}
