import type { Log, Output } from './command.ts';

export const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

const FLAGS: Readonly<Record<string, Level>> = {
  '-v': 'info',
  '--verbose': 'info',
  '-vv': 'debug',
  '-vvv': 'trace',
  '-q': 'warn',
  '--quiet': 'warn',
};

/** Takes the verbosity flags out of a command line, wherever they stand; quiet wins (checklist 2). */
export function takeVerbosity(
  line: readonly string[],
  variable: string | undefined,
): { rest: string[]; level: Level } {
  const end = line.indexOf('--');
  const before = end === -1 ? line : line.slice(0, end);
  const flags = before.flatMap((word) => FLAGS[word] ?? []);
  const rest = [
    ...before.filter((word) => !Object.hasOwn(FLAGS, word)),
    ...line.slice(before.length),
  ];
  if (flags.includes('warn')) return { rest, level: 'warn' };
  const loudest = LEVELS.find((level) => flags.includes(level));
  return { rest, level: loudest ?? levelNamed(variable) ?? 'info' };
}

/** Writes lines for people at or above a level. */
export function createLog(stderr: { write(text: string): unknown }, level: Level): Log {
  const at = (own: Level, prefix: string) => (line: string) => {
    if (LEVELS.indexOf(own) >= LEVELS.indexOf(level)) stderr.write(`${prefix}${line}\n`);
  };
  return {
    debug: at('debug', 'debug: '),
    info: at('info', ''),
    warn: at('warn', 'warning: '),
    error: at('error', 'error: '),
  };
}

/** Wraps a stream of the process as a command sees it. */
export function createOutput(
  stream: NodeJS.WriteStream,
  environment: { NO_COLOR?: string; TERM?: string },
): Output {
  const isTerminal = stream.isTTY && environment.TERM !== 'dumb';
  return {
    write: (text) => void stream.write(text),
    isTerminal,
    hasColour: isTerminal && !environment.NO_COLOR,
    columns: () => stream.columns ?? 80,
    rows: () => stream.rows ?? 24,
  };
}

function levelNamed(name: string | undefined): Level | undefined {
  return LEVELS.find((level) => level === name?.toLowerCase());
}
