import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { helpText } from '../../client/help.ts';
import { Interruption } from '../../client/run-line.ts';
import { jsonOf, wiggumLine } from '../helpers/run-line.ts';
import { withFolder } from '../helpers/with-folder.ts';
import { withRepository } from '../helpers/with-repository.ts';

const nowhere = (words: string[], environment?: Record<string, string>) =>
  withFolder((cwd) => wiggumLine(words, { cwd, ...(environment && { environment }) }));

describe('a line that is no command', () => {
  it('prints the usage and exits 2 when it is empty (#2)', async () => {
    const { code, stdout, stderr } = await nowhere([]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('No command was given');
    expect(stderr).toContain(helpText().trimEnd());
  });

  it('prints the usage and the probable meaning of an unknown word (#2)', async () => {
    const { code, stderr } = await nowhere(['stauts']);
    expect(code).toBe(2);
    expect(stderr).toContain('There is no command "stauts". Did you mean "status"?');
    expect(stderr).toContain('Usage: wiggum <command>');
  });

  it.each([['toString'], ['__proto__'], ['constructor']])(
    'takes %s for no command (#2)',
    async (word) => {
      expect((await nowhere([word])).code).toBe(2);
    },
  );

  it('prints the usage of a command whose flag lacks its value (#2)', async () => {
    const { code, stderr } = await nowhere(['run', '--pipeline']);
    expect(code).toBe(2);
    expect(stderr).toContain('Usage: wiggum run');
  });
});

describe('help and version', () => {
  it.each([[['--help']], [['-h']], [['help']]])('%j prints the help', async (words) => {
    expect(await nowhere(words)).toEqual({ code: 0, stdout: helpText(), stderr: '' });
  });

  it.each([[['help', 'run']], [['run', '--help']]])('%j explains one command', async (words) => {
    const { code, stdout } = await nowhere(words);
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: wiggum run');
    expect(stdout).toContain('--max-workers <n>');
    expect(stdout).toContain('Ctrl-C stops the agents');
  });

  it('--version prints the version of the program', async () => {
    expect((await nowhere(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('debug lines', () => {
  it('go to stderr with WIGGUM_LOG_LEVEL=debug and leave stdout to the command (#208)', async () => {
    const { code, stdout, stderr } = await nowhere(['--version'], { WIGGUM_LOG_LEVEL: 'debug' });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^debug: wiggum --version in /);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('leave the JSON of a command whole (#208)', async () => {
    await withRepository(async ({ dir, write }) => {
      await write({ '.ralph/kanban.md': '## TASKS\n' });
      const answer = await wiggumLine(['validate', '--json'], {
        cwd: dir,
        environment: { WIGGUM_LOG_LEVEL: 'debug' },
      });
      expect(answer.stderr).toContain('debug: ');
      expect(jsonOf(answer)).toMatchObject({ tasks: 0, errors: [] });
    });
  });
});

describe('an error of a command', () => {
  it('names no repository, with exit 3', async () => {
    const { code, stderr } = await nowhere(['init']);
    expect(code).toBe(3);
    expect(stderr).toContain('not inside a git repository');
    expect(stderr).toContain('git init');
  });

  it('is JSON on stdout with --json', async () => {
    const answer = await nowhere(['init', '--json']);
    expect([answer.code, answer.stderr]).toEqual([3, '']);
    expect(jsonOf(answer)).toMatchObject({ error: { code: 'NOT_A_REPOSITORY' } });
  });

  it('is no defect when the state folder cannot be used', async () => {
    await withRepository(async ({ dir, write }) => {
      await write({ '.ralph/kanban.md': '## TASKS\n' });
      const file = path.join(dir, 'a-file');
      await writeFile(file, '');
      const { code, stderr } = await wiggumLine(['status'], {
        cwd: dir,
        environment: { WIGGUM_STATE_DIR: path.join(file, 'state') },
      });
      expect(code).toBe(3);
      expect(stderr).toContain('NOT_WRITABLE');
      expect(stderr).toContain('WIGGUM_STATE_DIR');
    });
  });
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('a command that %s ends exits %d (#190)', async (name, code) => {
  await withRepository(async ({ dir, write }) => {
    await write({ '.ralph/kanban.md': '## TASKS\n' });
    const ending = new AbortController();
    const answer = await wiggumLine(['status', '--watch'], {
      cwd: dir,
      columns: 80,
      signal: ending.signal,
      heard: () => ending.abort(new Interruption(name)),
    });
    expect(answer.code).toBe(code);
  });
});
