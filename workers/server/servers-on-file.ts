import { readdir } from 'node:fs/promises';
import { execa } from 'execa';
import {
  identityOf,
  readProcessFile,
  type ProcessIdentity,
} from '../../activities/process-identity.ts';

/**
 * Finds servers that run on a database file, recorded or not: a command that was killed between
 * starting one and recording it leaves such a server, and two on one file corrupt each other's work.
 */
export async function serversOnFile(databaseFile: string): Promise<ProcessIdentity[]> {
  const pids =
    process.platform === 'linux' ? await linuxPids(databaseFile) : await otherPids(databaseFile);
  const identities = await Promise.all(pids.map((pid) => identityOf(pid)));
  return identities.filter((identity) => identity !== undefined);
}

async function linuxPids(databaseFile: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: number[] = [];
  for (const pid of pids) {
    // Arguments come as latin1, so a path with other letters is compared byte by byte.
    const line = await readProcessFile(pid, 'cmdline').catch(() => undefined);
    const words = (line ?? '').split('\0');
    if (servesFile(words, Buffer.from(databaseFile).toString('latin1'))) found.push(pid);
  }
  return found;
}

function servesFile(words: string[], databaseFile: string): boolean {
  const at = words.indexOf('--db-filename');
  return words.includes('start-dev') && at >= 0 && words[at + 1] === databaseFile;
}

async function otherPids(databaseFile: string): Promise<number[]> {
  const { stdout } = await execa('ps', ['-axww', '-o', 'pid=,command=']);
  return stdout
    .split('\n')
    .filter(
      (line) => line.includes(' start-dev ') && line.includes(`--db-filename ${databaseFile} `),
    )
    .map((line) => Number.parseInt(line, 10));
}
