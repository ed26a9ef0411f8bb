import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, type ProcessIdentity } from '../../activities/process-identity.ts';

const GRACE_MS = 10_000;
const LOOK_EVERY_MS = 50;

/** Ends exactly this process: asks first, and makes it after ten seconds. Tells how it ended. */
export async function endProcess(
  identity: ProcessIdentity,
): Promise<'was-dead' | 'ended' | 'killed'> {
  if (!(await signal(identity, 'SIGTERM'))) return 'was-dead';
  if (await isGoneWithin(identity, GRACE_MS)) return 'ended';
  await signal(identity, 'SIGKILL');
  while (await isAlive(identity)) await sleep(LOOK_EVERY_MS);
  return 'killed';
}

/** The number may belong to somebody else by now, so who has it is asked before each signal. */
async function signal(identity: ProcessIdentity, name: NodeJS.Signals): Promise<boolean> {
  if (!(await isAlive(identity))) return false;
  try {
    return process.kill(identity.pid, name);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw cause;
  }
}

async function isGoneWithin(identity: ProcessIdentity, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (Date.now() < deadline) {
    if (!(await isAlive(identity))) return true;
    await sleep(LOOK_EVERY_MS);
  }
  return !(await isAlive(identity));
}
