import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ExitCode } from '../workflows/domain/errors.ts';
import type { CommandContext } from './command.ts';

/** Starts the same command in the background and waits until it is up, or has failed. */
export async function detach(
  words: readonly string[],
  ralphDir: string,
  { program, environment, cwd, stdout, log, signal }: CommandContext,
): Promise<{ code: number; pid?: number; logFile: string }> {
  const logFile = join(ralphDir, 'logs', 'host.log');
  await mkdir(dirname(logFile), { recursive: true });
  const sink = await open(logFile, 'a');
  const { size: before } = await sink.stat();
  const [interpreter, script] = program;
  const child = spawn(interpreter, [script, ...words], {
    cwd,
    env: { ...environment },
    detached: true,
    stdio: ['ignore', sink.fd, sink.fd, 'ipc'],
  });
  await sink.close();
  const ended = once(child, 'exit').then(([code]) => ({
    kind: 'ended' as const,
    code: Number(code ?? 1),
  }));
  const ready = once(child, 'message').then(() => ({ kind: 'ready' as const }));
  // A person who changes their mind before it is up gets no background process.
  const cancel = () => void child.kill('SIGTERM');
  signal.addEventListener('abort', cancel, { once: true });
  const first = await Promise.race([ready, ended]);
  signal.removeEventListener('abort', cancel);
  if (first.kind === 'ended') {
    const said = (await readFile(logFile)).subarray(before).toString('utf8');
    // A short run can end before anybody has looked.
    if (first.code === ExitCode.ok) stdout.write(said);
    else log.error(`the background run ended at once:\n${said.trimEnd()}`);
    return { code: first.code, logFile };
  }
  if (child.connected) child.disconnect();
  child.unref();
  return { code: ExitCode.ok, logFile, ...(child.pid === undefined ? {} : { pid: child.pid }) };
}
