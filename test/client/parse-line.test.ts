import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineCommand, type LoadedCommand } from '../../client/command.ts';
import { countFlag, parseLine } from '../../client/parse-line.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';

const sample = defineCommand({
  name: 'sample',
  arguments: '<action> [id]',
  flags: [
    ['--count <n>', 'how many'],
    ['--name <name>', 'what it is called'],
    ['-w, --watch', 'keep looking'],
  ],
  details: 'More about it.',
  options: z.object({
    action: z.enum(['begin', 'end']),
    id: z.string().optional(),
    count: countFlag.optional(),
    name: z.string().optional(),
    watch: z.boolean().default(false),
  }),
  run: () => Promise.resolve(0),
});
const command = { ...sample, summary: 'Do something' } as LoadedCommand;

const parsed = (...words: string[]) => parseLine(command, words);

function refusal(...words: string[]): WiggumError {
  try {
    parsed(...words);
  } catch (cause) {
    if (cause instanceof WiggumError) return cause;
  }
  throw new Error('it was not refused');
}

describe('a command line', () => {
  it('gives arguments by their names and flags by theirs', () => {
    expect(parsed('begin', 'AB-1', '--count', '3', '-w')).toEqual({
      kind: 'options',
      options: { action: 'begin', id: 'AB-1', count: 3, watch: true },
    });
  });

  it('leaves out what was not given', () => {
    expect(parsed('end')).toEqual({ kind: 'options', options: { action: 'end', watch: false } });
  });

  it.each(['--help', '-h'])('asks for help with %s wherever it stands', (flag) => {
    const help = parsed('begin', flag);
    expect(help.kind).toBe('help');
    expect(help).toMatchObject({ text: expect.stringMatching(/\nMore about it\.\n$/) });
    expect(help).toMatchObject({
      text: expect.stringContaining('Usage: wiggum sample'),
    });
  });

  it.each<[string, string[], RegExp]>([
    ['an unknown flag', ['begin', '--nope'], /unknown option '--nope'/],
    ['a flag without its value', ['begin', '--count'], /argument missing/],
    ['a flag for the value of another', ['begin', '--name', '--watch'], /needs a value/],
    ['an argument too many', ['begin', 'AB-1', 'AB-2'], /too many arguments/],
    ['no argument where one is needed', [], /missing required argument 'action'/],
    ['a word that is no action', ['jump'], /action: .*"begin"\|"end"/],
    ['a count of nothing', ['begin', '--count', '0'], /count: must be a whole number/],
    ['a count that is none', ['begin', '--count', '2.5'], /count: must be a whole number/],
  ])('is refused with %s, and shows the usage (#2)', (_title, words, message) => {
    const error = refusal(...words);
    expect(error.code).toBe('USAGE');
    expect(error.exitCode).toBe(2);
    expect(error.message).toMatch(message);
    expect(error.message).toContain('Usage: wiggum sample');
  });
});
