import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { CommandContext } from '../../client/command.ts';
import { runLine } from '../../client/run-line.ts';

export interface Answer {
  code: number;
  stdout: string;
  stderr: string;
}

export interface Around {
  cwd: string;
  environment?: Record<string, string | undefined>;
  signal?: AbortSignal;
  /** A terminal of this width; without it stdout is a pipe. */
  columns?: number;
  /** Called with all that was said so far, whenever there is more of it. */
  heard?: (said: { stdout: string; stderr: string }) => void;
}

/** Runs one command line in this process, with output that is kept and no variables but those given. */
export async function wiggumLine(words: string[], around: Around): Promise<Answer> {
  let [stdout, stderr] = ['', ''];
  const { columns, heard } = around;
  const hear = () => heard?.({ stdout, stderr });
  const state = await mkdtemp(path.join(os.tmpdir(), 'wiggum-state-'));
  const context: Omit<CommandContext, 'log' | 'quiet'> = {
    stdout: {
      write: (text) => {
        stdout += text;
        hear();
      },
      isTerminal: columns !== undefined,
      hasColour: false,
      columns: () => columns ?? 80,
      rows: () => 24,
    },
    environment: {
      PATH: process.env['PATH'],
      HOME: state,
      WIGGUM_STATE_DIR: path.join(state, 'state'),
      ...around.environment,
    },
    cwd: around.cwd,
    signal: around.signal ?? new AbortController().signal,
    program: [process.execPath, ''],
    announceReady: () => undefined,
  };
  try {
    const code = await runLine(words, {
      ...context,
      stderr: {
        write: (text: string) => {
          stderr += text;
          hear();
        },
      },
    });
    return { code, stdout, stderr };
  } finally {
    await rm(state, { recursive: true, force: true });
  }
}

/** The one JSON object that a command printed. */
export function jsonOf<T>({ stdout }: Answer): T {
  return JSON.parse(stdout) as T;
}
