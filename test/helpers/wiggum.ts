import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { packageRoot } from '../../config/package-root.ts';

/** A command line of the built program that has ended. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** One that runs; what it has said so far can be read. */
export interface Running {
  child: ChildProcess;
  stdout: () => string;
  stderr: () => string;
  ended: Promise<Ended>;
}

/** Starts `wiggum …` as a process of its own. */
export function startWiggum(
  words: string[],
  { cwd, environment = {} }: { cwd: string; environment?: Record<string, string> },
): Running {
  const program = path.join(packageRoot(), 'dist', 'client', 'main.js');
  const child = spawn(process.execPath, [program, ...words], {
    cwd,
    env: { ...withoutJest(process.env), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(() => ({
    code: child.exitCode,
    signal: child.signalCode,
    stdout,
    stderr,
  }));
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

/** Runs `wiggum …` to its end. */
export function wiggum(
  words: string[],
  where: { cwd: string; environment?: Record<string, string> },
): Promise<Ended> {
  return startWiggum(words, where).ended;
}

// The flags of the test runner are not those of the program.
function withoutJest({ NODE_OPTIONS: _flags, ...environment }: NodeJS.ProcessEnv) {
  return environment;
}
