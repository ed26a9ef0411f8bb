#!/usr/bin/env node
import { ExitCode } from '../workflows/domain/errors.ts';
import { createOutput } from './output.ts';
import { Interruption, runLine } from './run-line.ts';

// A person who presses Ctrl-C is promised an end within five seconds.
const ENDING_MS = 4_500;

const ending = new AbortController();

function endOn(signal: 'SIGINT' | 'SIGTERM'): void {
  process.on(signal, () => {
    const interruption = new Interruption(signal);
    if (ending.signal.aborted) process.exit(interruption.exitCode);
    ending.abort(interruption);
    setTimeout(() => process.exit(interruption.exitCode), ENDING_MS).unref();
  });
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

endOn('SIGINT');
endOn('SIGTERM');
// A reader that has seen enough (`wiggum logs AB-1 | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(ExitCode.ok);
  throw error;
});

const code = await runLine(process.argv.slice(2), {
  stdout: createOutput(process.stdout, process.env),
  stderr: process.stderr,
  environment: process.env,
  cwd: process.cwd(),
  signal: ending.signal,
  program: [process.execPath, process.argv[1] ?? ''],
  announceReady: () => {
    if (!process.connected) return;
    process.send?.('ready');
    process.disconnect();
  },
});
// What is still on its way into a pipe would be lost by an exit.
await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
process.exit(code);
