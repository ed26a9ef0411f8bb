import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  pid: number;
  /** When the process began, in the unit of the system: clock ticks on Linux, a date on macOS. */
  startTicks: string;
  /** Changes with every boot of the machine: ticks and numbers begin again then. */
  bootId: string;
}

/** Tells who this process is. */
export async function ownIdentity(): Promise<ProcessIdentity> {
  const own = await identityOf(process.pid);
  if (!own) throw new Error(`The system does not know process ${process.pid}, which is this one.`);
  return own;
}

/** Tells who has a process number now; undefined when nobody does. A zombie is nobody. */
export async function identityOf(pid: number): Promise<ProcessIdentity | undefined> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const startTicks = process.platform === 'linux' ? await linuxStart(pid) : await otherStart(pid);
  return startTicks === undefined ? undefined : { pid, startTicks, bootId: await currentBootId() };
}

/** Whether exactly this process, not a later one with its number, still runs. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  if (identity.bootId !== (await currentBootId())) return false;
  const now = await identityOf(identity.pid);
  return now?.startTicks === identity.startTicks;
}

/** Reads a file of /proc; undefined when the process has gone, also in the middle of the reading. */
export async function readProcessFile(pid: number, name: string): Promise<string | undefined> {
  try {
    return await readFile(`/proc/${pid}/${name}`, 'latin1');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw cause;
  }
}

/** The fields of /proc/<pid>/stat after the name: a name may hold blanks and brackets itself. */
export function fieldsOfStat(stat: string): string[] {
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .trim()
    .split(' ');
}

let bootId: Promise<string> | undefined;

function currentBootId(): Promise<string> {
  bootId ??= readBootId().catch((cause: unknown) => {
    bootId = undefined;
    throw cause;
  });
  return bootId;
}

async function readBootId(): Promise<string> {
  if (process.platform === 'linux')
    return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  const { stdout } = await run('sysctl', ['-n', 'kern.boottime']);
  // `{ sec = 1700000000, usec = 1 } Tue …`: microseconds are corrected while the machine runs.
  return /sec = (\d+)/.exec(stdout)?.[1] ?? stdout.trim();
}

// Field 3 of the manual is the state (the first after the name), field 22 the start.
async function linuxStart(pid: number): Promise<string | undefined> {
  const stat = await readProcessFile(pid, 'stat');
  if (!stat) return undefined;
  const fields = fieldsOfStat(stat);
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

async function otherStart(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await run('ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
      env: { ...process.env, LC_ALL: 'C' },
    });
    const [state = '', ...start] = stdout.trim().split(/\s+/);
    return state === '' || state.startsWith('Z') ? undefined : start.join(' ');
  } catch (cause) {
    // `ps` ends with 1 when there is no such process; anything else is an answer we do not have.
    if ((cause as { code?: unknown }).code === 1) return undefined;
    throw cause;
  }
}
