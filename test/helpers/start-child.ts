import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const HELPERS = import.meta.dirname;

/** A process of ours that a test started. */
export interface TestChild {
  process: ChildProcess;
  /** Resolves with the exit code; null when a signal ended it. */
  ended: Promise<number | null>;
  /** What it wrote so far. */
  output: () => string;
}

/** Starts a program under test/fixtures that may import our sources as they are. */
export function startChild(
  fixture: string,
  args: string[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): TestChild {
  const child = spawn(
    process.execPath,
    [
      ...['--import', path.join(HELPERS, 'typescript.mjs')],
      path.join(HELPERS, '..', 'fixtures', fixture),
      ...args,
    ],
    { env: { ...environment, NODE_OPTIONS: '' }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  child.stdout.on('data', (part: Buffer) => (output += part.toString()));
  child.stderr.on('data', (part: Buffer) => (output += part.toString()));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { process: child, ended, output: () => output };
}
