import { describe, expect, it } from '@jest/globals';
import { createLog, createOutput, takeVerbosity } from '../../client/output.ts';

describe('the verbosity flags', () => {
  it.each<[string[], string | undefined, string, string[]]>([
    [['run'], undefined, 'info', ['run']],
    [['run', '-v'], undefined, 'info', ['run']],
    [['--verbose', 'run'], undefined, 'info', ['run']],
    [['run', '-vv', '--json'], undefined, 'debug', ['run', '--json']],
    [['-vvv', 'run'], undefined, 'trace', ['run']],
    [['run', '-q'], undefined, 'warn', ['run']],
    [['-vvv', 'run', '--quiet', '-vv'], undefined, 'warn', ['run']],
    [['run'], 'debug', 'debug', ['run']],
    [['run'], 'DEBUG', 'debug', ['run']],
    [['run', '-q'], 'debug', 'warn', ['run']],
    [['run', '-v'], 'debug', 'info', ['run']],
    [['run'], 'nonsense', 'info', ['run']],
  ])('%j with WIGGUM_LOG_LEVEL=%s mean %s, quiet wins (#2)', (line, variable, level, rest) => {
    expect(takeVerbosity(line, variable)).toEqual({ rest, level });
  });

  it('are left alone behind --', () => {
    expect(takeVerbosity(['logs', '--', '-q'], undefined)).toEqual({
      rest: ['logs', '--', '-q'],
      level: 'info',
    });
  });
});

it('writes lines at or above its level to stderr only (#208)', () => {
  const said: string[] = [];
  const log = createLog({ write: (text: string) => said.push(text) }, 'info');
  log.debug('no');
  log.info('yes');
  log.warn('careful');
  log.error('bad');
  expect(said).toEqual(['yes\n', 'warning: careful\n', 'error: bad\n']);
});

describe('the output', () => {
  const stream = (isTTY: boolean) =>
    ({ isTTY, write: () => true }) as unknown as NodeJS.WriteStream;

  it.each([
    [true, {}, true, true],
    [true, { NO_COLOR: '1' }, true, false],
    [true, { TERM: 'dumb' }, false, false],
    [false, {}, false, false],
  ])(
    'of a stream (terminal %s, %j) is a terminal: %s, with colour: %s',
    (isTTY, environment, isTerminal, hasColour) => {
      const output = createOutput(stream(isTTY), environment);
      expect([output.isTerminal, output.hasColour]).toEqual([isTerminal, hasColour]);
      expect([output.columns(), output.rows()]).toEqual([80, 24]);
    },
  );
});
