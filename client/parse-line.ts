import { Command as Parser, CommanderError } from 'commander';
import { z } from 'zod';
import { WiggumError } from '../workflows/domain/errors.ts';
import type { LoadedCommand } from './command.ts';

export type ParsedLine = { kind: 'help'; text: string } | { kind: 'options'; options: unknown };

/** Reads the words after a command's name; what is wrong with them is a USAGE error. */
export function parseLine(command: LoadedCommand, words: readonly string[]): ParsedLine {
  const parser = parserOf(command);
  try {
    parser.parse([...words], { from: 'user' });
  } catch (cause) {
    if (!(cause instanceof CommanderError)) throw cause;
    if (cause.code === 'commander.helpDisplayed')
      return { kind: 'help', text: helpOf(command, parser) };
    throw usage(cause.message.replace(/^error: /, ''), parser, cause);
  }
  const flags = parser.opts<Record<string, unknown>>();
  for (const option of parser.options) {
    const value = flags[option.attributeName()];
    // Commander takes the next flag for the value of this one: `--pipeline --json`.
    if (typeof value === 'string' && value.startsWith('-'))
      throw usage(`option '${option.flags}' needs a value; found '${value}'`, parser);
  }
  const parsed = command.options.safeParse({ ...namedArguments(parser), ...flags });
  if (parsed.success) return { kind: 'options', options: parsed.data };
  throw usage(parsed.error.issues.map(faultText).join('; '), parser, parsed.error);
}

/** A count given as a word on the command line. */
export const countFlag = z
  .string()
  .regex(/^[1-9]\d{0,3}$/, 'must be a whole number from 1 to 9999')
  .transform(Number);

function parserOf(command: LoadedCommand): Parser {
  const parser = new Parser(`wiggum ${command.name}`)
    .description(command.summary)
    .exitOverride()
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
    .allowExcessArguments(false)
    .helpOption('-h, --help', 'show this help');
  if (command.arguments) parser.arguments(command.arguments);
  for (const [flags, description] of command.flags) parser.option(flags, description);
  return parser;
}

function helpOf({ details }: LoadedCommand, parser: Parser): string {
  return `${parser.helpInformation()}${details ? `\n${details}\n` : ''}`;
}

function namedArguments(parser: Parser): Record<string, unknown> {
  return Object.fromEntries(
    parser.registeredArguments.map((argument, index) => [
      argument.name(),
      parser.processedArgs[index] as unknown,
    ]),
  );
}

function faultText(issue: z.core.$ZodIssue): string {
  return `${issue.path.join('.')}: ${issue.message}`;
}

function usage(message: string, parser: Parser, cause?: unknown): WiggumError {
  return new WiggumError('USAGE', `${message}\n\n${parser.helpInformation().trimEnd()}`, { cause });
}
