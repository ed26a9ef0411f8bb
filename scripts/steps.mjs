import { spawn } from 'node:child_process';

/** A failure that a person can mend: printed without a stack. */
export class SetupError extends Error {}

/** Prints a line about the set-up; stdout belongs to the command that follows. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** Does one step and tells what it is and how long it took. */
export async function step(what, work) {
  say(`· ${what} …`);
  const began = performance.now();
  const result = await work();
  say(`✓ ${what}: ${seconds(began)}`);
  return result;
}

export function seconds(began) {
  return `${((performance.now() - began) / 1000).toFixed(1)} s`;
}

/**
 * Runs a program to its end. What it writes is shown as it comes, on stderr; with `take` its stdout
 * is the result instead.
 */
export function run(program, args, { cwd, take = false, onStart = () => undefined } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      stdio: ['ignore', take ? 'pipe' : process.stderr, 'inherit'],
    });
    if (child.pid !== undefined) onStart(child.pid);
    let taken = '';
    child.stdout?.on('data', (part) => (taken += part));
    child.once('error', (cause) => reject(new SetupError(`${program}: ${cause.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(taken);
      const how = signal ?? `code ${code}`;
      reject(new SetupError(`\`${[program, ...args].join(' ')}\` ended with ${how}.`));
    });
  });
}

/** Whether a process number is in use. */
export function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    return cause.code === 'EPERM';
  }
}
