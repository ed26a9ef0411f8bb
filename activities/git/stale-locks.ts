import { readFile, readdir, readlink, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { WiggumError } from '../../workflows/domain/errors.ts';

const LONGEST_WAIT_MS = 10_000;
const LOOK_EVERY_MS = 200;

/**
 * Waits until no git process works under a folder: one that outlived its worker or agent may still
 * be writing, and its lock is not stale.
 */
export async function waitForGit(folder: string): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    const writers = await gitProcessesIn(folder);
    if (writers.length === 0) return;
    if (waitedMs >= LONGEST_WAIT_MS)
      throw new WiggumError(
        'WORKSPACE_BUSY',
        `git process ${writers.join(', ')} still works there`,
        {
          where: folder,
        },
      );
    await sleep(LOOK_EVERY_MS);
  }
}

/** Removes the locks that dead git processes left; call only after `waitForGit`. */
export async function removeStaleLocks(gitDir: string): Promise<void> {
  const entries = await readdir(gitDir, { recursive: true, withFileTypes: true });
  const locks = entries.filter(
    (entry) =>
      entry.isFile() &&
      entry.name.endsWith('.lock') &&
      !path.relative(gitDir, entry.parentPath).startsWith('objects'),
  );
  await Promise.all(
    locks.map((lock) => rm(path.join(lock.parentPath, lock.name), { force: true })),
  );
}

async function gitProcessesIn(folder: string): Promise<number[]> {
  return process.platform === 'linux' ? linuxGitProcesses(folder) : otherGitProcesses(folder);
}

async function linuxGitProcesses(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      // A process that ends while we look, or that is another user's, is not a writer of ours.
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      const program = path.basename(command.split('\0')[0] ?? '');
      if (program !== 'git' && !program.startsWith('git-')) return undefined;
      const directory = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      const isInside = directory === folder || directory.startsWith(`${folder}/`);
      return isInside || command.includes(`${folder}/`) ? Number(pid) : undefined;
    }),
  );
  return found.filter((pid) => pid !== undefined);
}

// Without /proc only the arguments tell the folder; our own commands carry it there.
async function otherGitProcesses(folder: string): Promise<number[]> {
  const { stdout } = await execa('ps', ['-Axo', 'pid=,command='], { reject: false });
  return stdout
    .split('\n')
    .filter((line) => /^\s*\d+\s+(\S*\/)?git[\s-]/.test(line) && line.includes(`${folder}/`))
    .map((line) => Number.parseInt(line, 10));
}
