import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../config/package-root.ts';
import { ExitCode, WiggumError } from '../workflows/domain/errors.ts';
import type { CommandContext, LoadedCommand } from './command.ts';
import { COMMANDS } from './commands/index.ts';
import { closestCommand, helpText } from './help.ts';
import { createLog, takeVerbosity } from './output.ts';
import { parseLine } from './parse-line.ts';
import { reportError } from './report-error.ts';

/** The process around a command line, without its logging, which the line itself decides. */
export interface Surroundings extends Omit<CommandContext, 'log' | 'quiet'> {
  stderr: { write(text: string): unknown };
}

const UNWRITABLE = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT'];

/** Why a command was told to end, as the reason of its signal. */
export class Interruption extends Error {
  readonly exitCode: number;

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(`ended by ${signal}`);
    this.name = 'Interruption';
    this.exitCode = signal === 'SIGINT' ? ExitCode.interrupted : ExitCode.terminated;
  }
}

/** Runs one command line to its exit code; every error is printed here and nowhere else. */
export async function runLine(line: readonly string[], around: Surroundings): Promise<number> {
  const { rest, level } = takeVerbosity(line, around.environment['WIGGUM_LOG_LEVEL']);
  const log = createLog(around.stderr, level);
  const showStack = level === 'debug' || level === 'trace';
  const json = rest.includes('--json');
  const context: CommandContext = { ...around, log, quiet: level === 'warn' || level === 'error' };
  let command: LoadedCommand | undefined;
  try {
    log.debug(`wiggum ${rest.join(' ')} in ${around.cwd}, Node ${process.versions.node}`);
    const [name, ...words] = rest;
    if (name === '--version' || name === '-V') return await printVersion(context);
    if (name === '--help' || name === '-h' || name === 'help')
      return await printHelp(words[0], context);
    command = await load(name);
    const parsed = parseLine(command, words);
    if (parsed.kind === 'help') {
      around.stdout.write(parsed.text);
      return ExitCode.ok;
    }
    const code = await command.run(parsed.options, context);
    return around.signal.aborted ? interruptedCode(around.signal, code) : code;
  } catch (error) {
    // What breaks while everything is being ended is the ending, not a failure.
    if (around.signal.aborted) {
      log.debug(`while ending: ${error instanceof Error ? error.message : String(error)}`);
      return interruptedCode(around.signal, ExitCode.error);
    }
    const known = asWiggumError(error);
    reportError(known ?? error, { json, showStack, stdout: around.stdout, log });
    if (!known) return ExitCode.error;
    return command?.exitCodes?.[known.code] ?? known.exitCode;
  }
}

/** A disk that is full or a folder that is closed to us is no defect, wherever it shows. */
function asWiggumError(error: unknown): WiggumError | undefined {
  if (error instanceof WiggumError) return error;
  if (!(error instanceof Error)) return undefined;
  const { code, path, syscall = '', message } = error as NodeJS.ErrnoException;
  if (code === undefined || !UNWRITABLE.includes(code)) return undefined;
  if (/^(spawn|kill|connect|listen|bind)/.test(syscall)) return undefined;
  return new WiggumError('NOT_WRITABLE', message, { cause: error, ...(path && { where: path }) });
}

async function load(name: string | undefined): Promise<LoadedCommand> {
  if (name === undefined)
    throw new WiggumError('USAGE', `No command was given.\n\n${helpText().trimEnd()}`);
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry) return entry.load();
  const meant = closestCommand(name);
  const suggestion = meant ? ` Did you mean "${meant}"?` : '';
  throw new WiggumError(
    'USAGE',
    `There is no command "${name}".${suggestion}\n\n${helpText().trimEnd()}`,
  );
}

async function printHelp(name: string | undefined, context: CommandContext): Promise<number> {
  const parsed = name === undefined ? undefined : parseLine(await load(name), ['--help']);
  context.stdout.write(parsed?.kind === 'help' ? parsed.text : helpText());
  return ExitCode.ok;
}

async function printVersion(context: CommandContext): Promise<number> {
  const text = await readFile(join(packageRoot(), 'package.json'), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  context.stdout.write(`${version}\n`);
  return ExitCode.ok;
}

function interruptedCode(signal: AbortSignal, otherwise: number): number {
  return signal.reason instanceof Interruption ? signal.reason.exitCode : otherwise;
}
