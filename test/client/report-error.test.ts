import { describe, expect, it } from '@jest/globals';
import { createLog } from '../../client/output.ts';
import { reportError } from '../../client/report-error.ts';
import { ERRORS, ExitCode, WiggumError, type ErrorCode } from '../../workflows/domain/errors.ts';

function reported(error: unknown, options: { json?: boolean; showStack?: boolean } = {}) {
  let [out, err] = ['', ''];
  reportError(error, {
    json: options.json ?? false,
    showStack: options.showStack ?? false,
    stdout: {
      write: (text) => void (out += text),
      isTerminal: false,
      hasColour: false,
      columns: () => 80,
      rows: () => 24,
    },
    log: createLog({ write: (text: string) => void (err += text) }, 'info'),
  });
  return { out, err };
}

describe('an error', () => {
  const error = new WiggumError('BOARD_MISSING', 'There is no board.', { where: '/x/kanban.md' });

  it('names cause, place, next step and code on stderr', () => {
    expect(reported(error)).toEqual({
      out: '',
      err: [
        'error: There is no board.',
        '  where: /x/kanban.md',
        '  hint: Run `wiggum init` to get a template board.',
        '  code: BOARD_MISSING',
        '',
      ].join('\n'),
    });
  });

  it('is one JSON object on stdout where a program reads', () => {
    const { out, err } = reported(error, { json: true });
    expect(err).toBe('');
    expect(JSON.parse(out)).toEqual({
      error: {
        code: 'BOARD_MISSING',
        message: 'There is no board.',
        where: '/x/kanban.md',
        hint: 'Run `wiggum init` to get a template board.',
      },
    });
  });

  it('cannot steer the terminal with what it quotes', () => {
    const { err } = reported(
      new WiggumError('BOARD_INVALID', 'line 3: \u001b[2J\nline 4: \u202e', { where: 'a\u0007b' }),
    );
    expect(err).toContain('line 3: \\u{1b}[2J\nline 4: \\u{202e}');
    expect(err).toContain('where: a\\u{7}b');
  });

  it('asks for a report when it is a defect, and keeps its stack for -vv', () => {
    const defect = new Error('cannot read properties of undefined');
    expect(reported(defect).err).toMatch(
      /unexpected: cannot read.*\n.*please report it.*\n.*UNEXPECTED/,
    );
    expect(reported(defect).err).not.toContain('report-error.test');
    expect(reported(defect, { showStack: true }).err).toContain('report-error.test');
  });
});

describe('the table of errors', () => {
  it.each(Object.entries(ERRORS))('has a way out of %s', (_code, entry) => {
    expect(entry.hint).toMatch(/.{15,}/);
    expect(Object.values(ExitCode)).toContain(entry.exit);
  });

  it.each<[ErrorCode, number]>([
    ['USAGE', 2],
    ['TASK_UNKNOWN', 2],
    ['NOT_A_REPOSITORY', 3],
    ['CONFIG_INVALID', 3],
    ['PIPELINE_INVALID', 3],
    ['AGENT_MISSING', 3],
    ['TEMPORAL_MISSING', 3],
    ['NO_COMMIT', 4],
    ['GIT_FAILED', 4],
    ['BACKEND_MISSING', 5],
    ['NOT_INITIALISED', 20],
    ['BOARD_MISSING', 21],
    ['BOARD_INVALID', 22],
    ['SWEEP_OTHER_FLAGS', 26],
    ['PULL_REQUEST_MISSING', 42],
    ['MERGE_CONFLICT', 43],
    ['TASK_NOT_RUNNING', 1],
  ])('gives %s the exit code %d (#190)', (code, exit) => {
    expect(new WiggumError(code, 'x').exitCode).toBe(exit);
  });

  it('means the same by each number everywhere (#190)', () => {
    expect(ExitCode).toMatchObject({
      ok: 0,
      error: 1,
      usage: 2,
      configuration: 3,
      git: 4,
      backend: 5,
      agentFail: 10,
      maxIterations: 12,
      interrupted: 130,
      terminated: 143,
    });
    const numbers = Object.values(ExitCode);
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});
