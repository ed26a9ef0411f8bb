import { createHash } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { isAlive, ownIdentity, type ProcessIdentity } from '../activities/process-identity.ts';
import { createFile } from '../config/create-file.ts';

/** Who hosts a project, and what for. */
export interface HostHolder extends ProcessIdentity {
  /** `run` sweeps the board; any other word is a command that hosts for its own short while. */
  purpose: string;
  since: string;
}

export type HostLock = { release(): Promise<void> } | { heldBy: HostHolder };

const Holder = z.object({
  pid: z.int().positive(),
  startTicks: z.string(),
  bootId: z.string(),
  purpose: z.string(),
  since: z.string(),
});
const RETRY_MS = 20;

/** Takes the project's only host place, or tells which living process has it. */
export async function takeHostLock(ralphDir: string, purpose: string): Promise<HostLock> {
  const file = hostLockFile(ralphDir);
  await mkdir(dirname(file), { recursive: true });
  const own = { ...(await ownIdentity()), purpose, since: new Date().toISOString() };
  const heldBy = await claim(file, own);
  return heldBy ? { heldBy } : { release: () => giveBack(file, own) };
}

/** The living host of a project; what a dead process left behind is nobody. */
export async function liveHost(ralphDir: string): Promise<HostHolder | undefined> {
  const holder = await readHolder(hostLockFile(ralphDir));
  return typeof holder === 'object' && (await isAlive(holder)) ? holder : undefined;
}

const hostLockFile = (ralphDir: string): string => join(ralphDir, 'orchestrator', 'host.json');

/**
 * Claims a lock file. A dead holder's file is removed under a second lock whose name is that holder's
 * identity: without it two processes that both saw the dead one could remove each other's fresh file.
 */
async function claim(file: string, own: HostHolder): Promise<HostHolder | undefined> {
  const text = `${JSON.stringify(own, null, 2)}\n`;
  for (;;) {
    if (await createFile(file, text)) return undefined;
    const holder = await readHolder(file);
    if (holder === undefined) continue;
    if (holder !== 'damaged' && (await isAlive(holder))) return holder;
    const guard = `${file}.${nameOf(holder)}`;
    if (await claim(guard, own)) {
      await sleep(RETRY_MS);
      continue;
    }
    const now = await readHolder(file);
    if (now !== undefined && nameOf(now) === nameOf(holder)) await rm(file, { force: true });
    await giveBack(guard, own);
  }
}

async function giveBack(file: string, own: HostHolder): Promise<void> {
  const holder = await readHolder(file);
  if (holder !== undefined && nameOf(holder) === nameOf(own)) await rm(file, { force: true });
}

/** `damaged`: not written by us in one piece (a full disk, a hand); it proves no living holder. */
async function readHolder(file: string): Promise<HostHolder | 'damaged' | undefined> {
  try {
    const parsed = Holder.safeParse(JSON.parse(await readFile(file, 'utf8')));
    return parsed.success ? parsed.data : 'damaged';
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (cause instanceof SyntaxError) return 'damaged';
    throw cause;
  }
}

function nameOf(holder: HostHolder | 'damaged'): string {
  if (holder === 'damaged') return 'damaged';
  const { pid, startTicks, bootId, since } = holder;
  return createHash('sha256')
    .update(JSON.stringify([pid, startTicks, bootId, since]))
    .digest('hex')
    .slice(0, 16);
}
