import { WiggumError } from '../workflows/domain/errors.ts';
import type { Log, Output } from './command.ts';
import { printable, printableText } from './render/text.ts';

/**
 * Tells a person, or with `--json` a program, what went wrong. A program finds
 * `{"error": {code, message, where, hint}}` as the last line of stdout, and nothing on stderr.
 */
export function reportError(
  error: unknown,
  options: { json: boolean; showStack: boolean; stdout: Output; log: Log },
): void {
  const { json, showStack, stdout, log } = options;
  if (json) {
    stdout.write(`${JSON.stringify({ error: describe(error) })}\n`);
    return;
  }
  const { code, message, where, hint } = describe(error);
  const lines = [
    // Boards, agents and programs are quoted here: nothing of theirs may steer the terminal.
    printableText(message),
    ...(where ? [`  where: ${printable(where)}`] : []),
    `  hint: ${hint}`,
    `  code: ${code}`,
  ];
  if (showStack && error instanceof Error) lines.push(stackOf(error));
  log.error(lines.join('\n'));
}

function describe(error: unknown): {
  code: string;
  message: string;
  where: string | undefined;
  hint: string;
} {
  if (error instanceof WiggumError)
    return { code: error.code, message: error.message, where: error.where, hint: error.hint };
  return {
    code: 'UNEXPECTED',
    message: `unexpected: ${error instanceof Error ? error.message : String(error)}`,
    where: undefined,
    hint: 'This is a defect of Chief Wiggum: please report it, with the output of -vv.',
  };
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}
