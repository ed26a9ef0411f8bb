import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './steps.mjs';

const GRACE_MS = 5_000;

/** Ends the processes that tests left behind, known by the folder of the run; tells whether any were. */
export async function endLeftovers(folder) {
  let left = processesOf(folder);
  for (let waited = 0; left.length > 0 && waited < GRACE_MS; waited += 250) {
    await sleep(250);
    left = processesOf(folder);
  }
  for (const { pid, command } of left) {
    say(`Left behind by a test, ended now: ${pid} ${command.slice(0, 200)}`);
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
  return left.length > 0 ? 1 : 0;
}

function processesOf(folder) {
  return process.platform === 'linux' ? linuxProcesses(folder) : otherProcesses(folder);
}

/** The folder is in the arguments, or in the environment as TMPDIR. */
function linuxProcesses(folder) {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const command = fs.readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        const environment = fs.readFileSync(`/proc/${name}/environ`, 'utf8');
        const isOurs = command.includes(folder) || environment.includes(folder);
        return isOurs ? [{ pid: Number(name), command }] : [];
      } catch {
        // Gone, or another user's.
        return [];
      }
    });
}

function otherProcesses(folder) {
  return execFileSync('ps', ['-axEww', '-o', 'pid=,command='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(folder))
    .map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim() }));
}
