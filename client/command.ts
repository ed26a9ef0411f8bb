import type { z } from 'zod';
import type { Environment } from '../config/state-dir.ts';
import type { ErrorCode } from '../workflows/domain/errors.ts';

/** Lines for people, on stderr: stdout belongs to a command's own output. */
export interface Log {
  debug: (line: string) => void;
  info: (line: string) => void;
  warn: (line: string) => void;
  error: (line: string) => void;
}

export interface Output {
  write(text: string): void;
  /** A person looks at it: lines may be redrawn. */
  isTerminal: boolean;
  hasColour: boolean;
  columns(): number;
  rows(): number;
}

/** All that a command knows of the process it runs in. */
export interface CommandContext {
  stdout: Output;
  log: Log;
  quiet: boolean;
  environment: Environment;
  cwd: string;
  /** Aborted by the first SIGINT or SIGTERM. */
  signal: AbortSignal;
  /** How to start this program again: interpreter and script. */
  program: readonly [string, string];
  /** Tells the process that started this one in the background that it is up. */
  announceReady(): void;
}

export interface Command<Options> {
  name: string;
  /** Positional arguments as commander writes them: `<action> [id]`. */
  arguments: string;
  /** Flags as commander writes them, with one line of help each. */
  flags: readonly (readonly [string, string])[];
  /** More help, below the flags. */
  details?: string;
  /** What commander hands over, positional arguments by their names. */
  options: z.ZodType<Options>;
  /** Exit codes that differ from the error table for this command (checklist 190). */
  exitCodes?: Partial<Record<ErrorCode, number>>;
  run(options: Options, context: CommandContext): Promise<number>;
}

/** A command out of the registry, which has its one line of help. */
export type LoadedCommand = Command<unknown> & { summary: string };

/** Ties a command's options to its schema. */
export function defineCommand<Options>(command: Command<Options>): Command<Options> {
  return command;
}
