import { createHash, randomUUID } from 'node:crypto';
import { readdir, readlink, rm, symlink, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WiggumError, type ErrorCode } from '../workflows/domain/errors.ts';
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.ts';

const POLL_MS = 10;
const WAIT_AT_MOST_MS = 15_000;

interface Holder extends ProcessIdentity {
  /** The target of the link: different at each taking, also by one process. */
  token: string;
}

/**
 * Lets one writer of this file work at a time, among all processes of the machine. The lock is a
 * symbolic link whose target names the holder: made in one step, never half-written. The lock of a
 * process that was killed is broken once its holder is proven dead. `busy` is the error of who waited
 * in vain.
 */
export async function withFileLock<Result>(
  file: string,
  busy: ErrorCode,
  work: () => Promise<Result>,
): Promise<Result> {
  const lock = `${ownFilesPrefix(file)}lock`;
  const giveUpAt = Date.now() + WAIT_AT_MOST_MS;
  const claim: Claim = { me: await ownIdentity(), giveUpAt, busy };
  await take(lock, claim);
  try {
    await removeLeftovers(file, lock);
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Our own files beside such a file begin with this path. */
export function ownFilesPrefix(file: string): string {
  return join(dirname(file), `.${basename(file)}.wiggum-`);
}

interface Claim {
  me: ProcessIdentity;
  giveUpAt: number;
  busy: ErrorCode;
}

async function take(lock: string, claim: Claim): Promise<void> {
  while (!(await create(lock, claim.me))) {
    const holder = await readHolder(lock, claim.busy);
    if (!holder) continue;
    if (!(await isAlive(holder))) {
      await breakLock(lock, holder, claim);
      continue;
    }
    if (Date.now() > claim.giveUpAt)
      throw new WiggumError(claim.busy, `process ${holder.pid} holds ${lock}`, { where: lock });
    await sleep(POLL_MS);
  }
}

/**
 * Removes the lock of a dead holder. Two that find it dead at once must not remove each other's new
 * lock: only who holds the lock named after the dead one's token may do it, and looks again first.
 */
async function breakLock(lock: string, dead: Holder, claim: Claim): Promise<void> {
  const guard = `${lock}.${createHash('sha256').update(dead.token).digest('hex').slice(0, 8)}`;
  await take(guard, claim);
  try {
    if ((await readHolder(lock, claim.busy))?.token === dead.token) await unlink(lock);
  } finally {
    await rm(guard, { force: true });
  }
}

/**
 * Removes what killed writers left: who holds the lock owns every such file. Guards too: the lock that
 * one of them is about is gone for good, so whoever still holds it finds nothing to break.
 */
async function removeLeftovers(file: string, lock: string): Promise<void> {
  const prefix = basename(ownFilesPrefix(file));
  for (const name of await readdir(dirname(file)))
    if (name.startsWith(prefix) && name !== basename(lock))
      await rm(join(dirname(file), name), { force: true });
}

async function create(lock: string, { pid, startTicks, bootId }: ProcessIdentity) {
  try {
    await symlink([pid, startTicks, bootId, randomUUID()].join('|'), lock);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  }
}

async function readHolder(lock: string, busy: ErrorCode): Promise<Holder | undefined> {
  try {
    const token = await readlink(lock);
    const [pid = '', startTicks = '', bootId = ''] = token.split('|');
    return { pid: Number(pid), startTicks, bootId, token };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'EINVAL')
      throw new WiggumError(busy, `${lock} is not a lock of ours; move it away`, {
        where: lock,
      });
    throw cause;
  }
}
