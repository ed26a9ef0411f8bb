import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Check } from '../../../client/checkup/check.ts';
import { checkDisk, checkNode } from '../../../client/checkup/machine.ts';
import { findProgram } from '../../../config/find-program.ts';
import { aBoard } from '../../helpers/a-board.ts';
import { jsonOf, wiggumLine } from '../../helpers/run-line.ts';
import { withFolder, writeProgram } from '../../helpers/with-folder.ts';
import { withRepository } from '../../helpers/with-repository.ts';

/** A machine whose PATH has git and what a test puts there, and nothing else. */
async function withMachine(
  use: (machine: {
    bin: string;
    doctor: (
      words: string[],
      around: { cwd: string; environment?: Record<string, string> },
    ) => Promise<{ code: number; stdout: string; checks: Record<string, Check> }>;
  }) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const bin = path.join(folder, 'bin');
    await mkdir(bin);
    const git = (await findProgram('git', process.env, folder)) ?? '';
    await symlink(git, path.join(bin, 'git'));
    await writeProgram(
      path.join(bin, 'temporal'),
      'echo "temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)"',
    );
    await use({
      bin,
      doctor: async (words, { cwd, environment }) => {
        const place = { PATH: bin, WIGGUM_CACHE_DIR: path.join(folder, 'cache') };
        const answer = await wiggumLine(['doctor', '--json', ...words], {
          cwd,
          environment: { ...place, ...environment },
        });
        const { checks } = jsonOf<{ checks: Check[] }>(answer);
        return {
          ...answer,
          checks: Object.fromEntries(checks.map((check) => [check.name, check])),
        };
      },
    });
  });
}

describe('doctor', () => {
  it('passes a machine that has everything, with exit 0 (#3)', async () => {
    await withMachine(async ({ bin, doctor }) => {
      await writeProgram(path.join(bin, 'claude'), 'echo 2.1.0');
      await writeProgram(path.join(bin, 'python3'), 'echo "pip 24.0 from /usr/lib (python 3.12)"');
      await withRepository(async ({ dir, write }) => {
        await write({ '.ralph/kanban.md': aBoard().withTask('AB-1').text() });
        const { code, checks } = await doctor([], { cwd: dir });
        expect(checks).toMatchObject({
          Node: { level: 'pass', found: process.versions.node },
          git: { level: 'pass' },
          claude: { level: 'pass', found: `2.1.0 (${bin}/claude)` },
          'Temporal program': { level: 'pass', found: `1.9.1 from PATH (${bin}/temporal)` },
          'other ways to it': { level: 'pass', found: 'pip 24.0' },
          'Temporal server': { level: 'pass' },
          'default branch': { level: 'pass', found: 'main (checked out)' },
          board: { level: 'pass', found: '1 task' },
        });
        expect(code).toBe(0);
      });
    });
  });

  it('fails without the program of the backend, and tells how to get it (#3)', async () => {
    await withMachine(async ({ doctor }) => {
      await withFolder(async (cwd) => {
        const { code, checks } = await doctor([], { cwd });
        expect(code).toBe(1);
        expect(checks['claude']).toMatchObject({ level: 'fail', found: 'claude is not on PATH' });
        expect(checks['claude']?.advice).toContain('npm install -g');
      });
    });
  });

  it('only warns of a missing claude where another backend is chosen (#3)', async () => {
    await withMachine(async ({ doctor }) => {
      await withFolder(async (cwd) => {
        const environment = { WIGGUM_RUNTIME_BACKEND: 'script' };
        const { code, checks } = await doctor([], { cwd, environment });
        expect(code).toBe(0);
        expect(checks['claude']?.level).toBe('warn');
      });
    });
  });

  it('fails when claude does not answer for itself (#3)', async () => {
    await withMachine(async ({ bin, doctor }) => {
      await writeProgram(path.join(bin, 'claude'), 'exit 1');
      await withFolder(async (cwd) => {
        expect((await doctor([], { cwd })).checks['claude']?.level).toBe('fail');
      });
    });
  });

  it('warns when no Temporal program is there and no other way to it (#3)', async () => {
    await withMachine(async ({ doctor }) => {
      await withFolder(async (cwd) => {
        const environment = { WIGGUM_TEMPORAL_SOURCES: 'cache,download' };
        const { checks } = await doctor([], { cwd, environment });
        expect(checks['Temporal program']).toMatchObject({ level: 'warn' });
        expect(checks['other ways to it']).toMatchObject({
          level: 'warn',
          advice: expect.stringContaining('python3 with pip'),
        });
      });
    });
  });

  it('fails on a Temporal program that was named and is not there (#3)', async () => {
    await withMachine(async ({ doctor }) => {
      await withFolder(async (cwd) => {
        const environment = { WIGGUM_TEMPORAL_CLI: path.join(cwd, 'nothing') };
        const { code, checks } = await doctor([], { cwd, environment });
        expect(code).toBe(1);
        expect(checks['Temporal program']).toMatchObject({ level: 'fail' });
      });
    });
  });

  it('fails on a server that was named and does not answer (#3)', async () => {
    await withMachine(async ({ doctor }) => {
      await withFolder(async (cwd) => {
        const environment = { TEMPORAL_ADDRESS: '127.0.0.1:9', WIGGUM_RUNTIME_BACKEND: 'script' };
        const { code, checks } = await doctor([], { cwd, environment });
        expect(code).toBe(1);
        expect(checks['Temporal server']?.found).toContain('127.0.0.1:9 does not answer');
      });
    });
  });

  it('fails on a state folder that cannot be one (#3)', async () => {
    await withMachine(async ({ doctor }) => {
      await withFolder(async (cwd) => {
        const file = path.join(cwd, 'file');
        await writeFile(file, '');
        const { code, checks } = await doctor([], { cwd, environment: { WIGGUM_STATE_DIR: file } });
        expect(code).toBe(1);
        expect(checks['state folder']).toMatchObject({
          level: 'fail',
          found: `${file} is not a folder`,
        });
      });
    });
  });

  it.each<[string, Record<string, string>, string, RegExp]>([
    ['a board with errors', { '.ralph/kanban.md': '# nothing\n' }, 'board', /1 error: line 1/],
    ['no board', {}, 'board', /There is no board/],
    ['settings that are no JSON', { '.ralph/config.json': '{' }, 'settings', /not JSON/],
    [
      'a default branch that is not there',
      { '.ralph/config.json': '{"git": {"default_branch": "trunk"}}' },
      'default branch',
      /no branch trunk/,
    ],
    [
      'a pipeline that cannot be used',
      { '.ralph/pipelines/mine.json': '[]' },
      'pipelines and agents',
      /mine\.json/,
    ],
  ])('fails on %s (#3)', async (_title, files, name, found) => {
    await withMachine(async ({ doctor }) => {
      await withRepository(async ({ dir, write }) => {
        await write({
          ...(name === 'board' ? {} : { '.ralph/kanban.md': '## TASKS\n' }),
          ...files,
        });
        const { code, checks } = await doctor([], { cwd: dir });
        expect(code).toBe(1);
        expect(checks[name]).toMatchObject({ level: 'fail', found: expect.stringMatching(found) });
        expect(checks[name]?.advice).toBeTruthy();
      });
    });
  });

  it('warns outside of a project and says how to begin one (#3)', async () => {
    await withMachine(async ({ doctor }) => {
      await withFolder(async (cwd) => {
        const { checks } = await doctor([], { cwd });
        expect(checks['repository']).toMatchObject({
          level: 'warn',
          advice: expect.stringContaining('git init'),
        });
      });
    });
  });

  it('prints failures only when quiet (#3)', async () => {
    await withFolder(async (cwd) => {
      const environment = { PATH: '/nowhere', TEMPORAL_ADDRESS: '127.0.0.1:9' };
      const { stdout, code } = await wiggumLine(['doctor', '-q'], { cwd, environment });
      expect(code).toBe(1);
      expect(stdout).toMatch(/^FAIL {2}claude/m);
      expect(stdout).not.toMatch(/PASS|WARN|passed/);
    });
  });
});

describe('the judgement of', () => {
  it.each([
    ['18.20.0', 'fail'],
    ['20.18.9', 'fail'],
    ['20.19.0', 'pass'],
    ['22.0.0', 'pass'],
  ])('Node %s is %s (#3)', (version, level) => {
    expect(checkNode(version).level).toBe(level);
  });

  it.each([
    [499, 'fail', '499 MB free'],
    [500, 'pass', '500 MB free'],
    [20_480, 'pass', '20 GB free'],
    [undefined, 'warn', 'the free space cannot be told'],
  ])('%s MB of free disk is %s (#3)', (free, level, found) => {
    expect(checkDisk(free)).toMatchObject({ level, found });
  });
});
