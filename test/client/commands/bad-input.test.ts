import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { aBoard } from '../../helpers/a-board.ts';
import { wiggumLine, type Answer } from '../../helpers/run-line.ts';
import { withFolder, writeProgram } from '../../helpers/with-folder.ts';
import { makeRepository, withRepository, type TestProject } from '../../helpers/with-repository.ts';

const BOARD = aBoard()
  .withTask('AB-1')
  .withTask('AB-2', { marker: 'x' })
  .withTask('AB-3', { marker: 'N' })
  .text();
const COMMANDS: [string, string[]][] = [
  ['run', ['run']],
  ['worker start', ['worker', 'start', 'AB-1']],
];
/** Nobody listens there: what gets this far has passed every check before it. */
const NO_SERVER = { TEMPORAL_ADDRESS: '127.0.0.1:9' };

async function withProject(
  files: Record<string, string>,
  use: (project: TestProject) => Promise<void>,
): Promise<void> {
  await withRepository(async (project) => {
    await project.write({ '.ralph/kanban.md': BOARD, 'scenario.yaml': 'agents: {}\n', ...files });
    await use(project);
  });
}

const line = (
  { dir }: TestProject,
  words: string[],
  environment: Record<string, string> = {},
): Promise<Answer> =>
  wiggumLine(words, { cwd: dir, environment: { ...NO_SERVER, ...environment } });

describe.each(COMMANDS)('%s', (_name, words) => {
  it('names a folder without repository (3)', async () => {
    await withFolder(async (cwd) => {
      const { code, stderr } = await wiggumLine(words, { cwd });
      expect(code).toBe(3);
      expect(stderr).toContain('git init');
      expect(await readdir(cwd)).toEqual([]);
    });
  });

  it('names a repository without a commit (4)', async () => {
    const project = await makeRepository({ empty: true });
    try {
      await project.write({ '.ralph/kanban.md': BOARD });
      const { code, stderr } = await line(project, words);
      expect(code).toBe(4);
      expect(stderr).toContain('Make a first commit');
    } finally {
      await project.remove();
    }
  });

  it('refuses a git that is too old, before anything is made (4)', async () => {
    await withProject({}, async (project) => {
      const bin = path.join(project.dir, '..', 'bin');
      await writeProgram(path.join(bin, 'git'), 'echo "git version 2.37.9"');
      const usual = process.env['PATH'];
      process.env['PATH'] = `${bin}${path.delimiter}${usual}`;
      try {
        const { code, stderr } = await line(project, words);
        expect(code).toBe(4);
        expect(stderr).toContain('GIT_UNSUPPORTED');
        expect(stderr).toContain('2.37');
        expect(stderr).toContain('Install git 2.38 or newer');
      } finally {
        process.env['PATH'] = usual;
      }
    });
  });

  it('names the missing program of the backend (5)', async () => {
    await withProject({}, async (project) => {
      const { code, stderr } = await line(project, words, { CLAUDE: '/nowhere/claude' });
      expect(code).toBe(5);
      expect(stderr).toContain('"/nowhere/claude"');
      expect(stderr).toContain('npm install -g');
    });
  });

  it.each([
    [['--backend', 'oracle'], 'BACKEND_UNKNOWN'],
    [['--script', 'nowhere.yaml'], 'SCRIPT_INVALID'],
    [['--script', 'scenario.yaml', '--pipeline', 'nope'], 'PIPELINE_MISSING'],
  ])('names what %j ask for and is not there (3)', async (flags, code) => {
    await withProject({}, async (project) => {
      const answer = await line(project, [...words, ...flags]);
      expect(answer.code).toBe(3);
      expect(answer.stderr).toContain(code);
    });
  });

  it.each<[string, Record<string, string>, string]>([
    ['settings that are no JSON', { '.ralph/config.json': '{' }, 'CONFIG_INVALID'],
    ['a damaged identity', { '.ralph/project.json': '{}' }, 'CONFIG_INVALID'],
    [
      'a pipeline with faults',
      { '.ralph/pipeline.json': '{"name": "x", "steps": []}' },
      'PIPELINE_INVALID',
    ],
  ])('names %s (3)', async (_title, files, code) => {
    await withProject(files, async (project) => {
      const answer = await line(project, [...words, '--script', 'scenario.yaml']);
      expect(answer.code).toBe(3);
      expect(answer.stderr).toContain(code);
    });
  });

  it('names a server that does not answer, and changes nothing (1)', async () => {
    await withProject({}, async (project) => {
      const { code, stderr } = await line(project, [...words, '--script', 'scenario.yaml']);
      expect(code).toBe(1);
      expect(stderr).toContain('The Temporal server at 127.0.0.1:9 does not answer');
      expect(stderr).toContain('TEMPORAL_ADDRESS');
      expect(await readFile(path.join(project.dir, '.ralph/kanban.md'), 'utf8')).toBe(BOARD);
      expect(await readdir(path.join(project.dir, '.ralph'))).not.toContain('workers');
      // The place of a host is given back: the next command is not held up.
      expect(await readdir(path.join(project.dir, '.ralph/orchestrator')).catch(() => [])).toEqual(
        [],
      );
    });
  });

  it('names the ways to the Temporal program when none works (3)', async () => {
    await withProject({}, async (project) => {
      const { code, stderr } = await wiggumLine([...words, '--script', 'scenario.yaml'], {
        cwd: project.dir,
        environment: { WIGGUM_TEMPORAL_SOURCES: 'cache', WIGGUM_CACHE_DIR: '/nowhere' },
      });
      expect(code).toBe(3);
      expect(stderr).toContain('TEMPORAL_MISSING');
      expect(stderr).toContain('WIGGUM_TEMPORAL_CLI');
    });
  });

  it('warns of changes that no commit has, and goes on', async () => {
    await withProject({}, async (project) => {
      await project.write({ 'README.md': 'changed\n' });
      const flags = ['--script', 'scenario.yaml', '--pipeline', 'nope'];
      const { stderr } = await line(project, [...words, ...flags]);
      expect(stderr).toMatch(
        /^warning: uncommitted changes in README\.md: the work starts from HEAD/m,
      );
      expect(stderr).toContain('PIPELINE_MISSING');
    });
  });
});

describe('a board that cannot be used', () => {
  const invalid = '## TASKS\n- [ ] **[AB-1]** One\n  - Priority: LOW\n  - Dependencies: XY-1\n';

  it.each<[string, string[], number]>([
    ['run', ['run'], 22],
    ['worker start', ['worker', 'start', 'AB-1'], 3],
    ['worker restart', ['worker', 'restart', 'AB-1'], 3],
  ])('is refused by %s with every error and its line (#190)', async (_title, words, exit) => {
    await withProject({ '.ralph/kanban.md': invalid }, async (project) => {
      const { code, stderr } = await line(project, words);
      expect(code).toBe(exit);
      expect(stderr).toMatch(/line 2: AB-1 has no Description[\s\S]*line 4: AB-1 depends on XY-1/);
    });
  });

  it.each<[string, string[], number, number]>([
    ['run', ['run'], 20, 21],
    ['worker start', ['worker', 'start', 'AB-1'], 3, 3],
    ['worker stop', ['worker', 'stop', 'AB-1'], 3, 3],
    ['logs', ['logs', 'AB-1'], 3, 3],
  ])(
    'is missed by %s: no .ralph %d, no board %d (#190)',
    async (_title, words, noRalph, noBoard) => {
      await withRepository(async (project) => {
        expect((await line(project, words)).code).toBe(noBoard);
      });
      await withFolder(async (cwd) => {
        await mkdir(path.join(cwd, '.git'));
        expect((await wiggumLine(words, { cwd })).code).toBe(noRalph);
      });
    },
  );
});

describe('worker', () => {
  it.each<[string[], RegExp]>([
    [['worker'], /missing required argument 'action'/],
    [['worker', 'start'], /worker start needs the id of a task/],
    [['worker', 'stop'], /worker stop needs the id/],
    [['worker', 'restart'], /worker restart needs the id/],
    [['worker', 'kill', 'AB-1'], /action: /],
    [['worker', 'start', 'NO-1'], /No task matches "NO-1"/],
    [['worker', 'stop', 'NO-1'], /No task matches "NO-1"/],
    [['worker', 'restart', 'AB'], /"AB" matches several tasks/],
    [['worker', 'stop', 'AB-1', '--from', 'x'], /--from belongs to start and restart/],
    [['worker', 'start', 'AB-1', '--from', 'nowhere'], /has no step "nowhere"; it has /],
  ])('refuses %j with exit 2 (#11) (#190)', async (words, message) => {
    await withProject({}, async (project) => {
      const claude = await writeProgram(path.join(project.dir, '.ralph/claude'), 'exit 0');
      const { code, stderr } = await line(project, words, { CLAUDE: claude });
      expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    });
  });

  it.each<[string[], RegExp]>([
    [['start', 'AB-2'], /AB-2 is done \(\[x\]\): there is nothing to start/],
    [['restart', 'AB-2'], /AB-2 is done \(\[x\]\): there is nothing to restart/],
    [['start', 'AB-3'], /AB-3 is not planned \(\[N\]\)/],
    [['stop', 'AB-1'], /AB-1 is not running: it has not started \(\[ \]\)/],
    [['stop', 'AB-2'], /AB-2 is not running: it is done \(\[x\]\)/],
  ])('has nothing to do for %j: exit 1 with the reason (#11)', async (words, message) => {
    await withProject({}, async (project) => {
      const claude = await writeProgram(path.join(project.dir, '.ralph/claude'), 'exit 0');
      const { code, stderr } = await line(project, ['worker', ...words], { CLAUDE: claude });
      expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    });
  });
});

describe('stop', () => {
  it.each([[['stop']], [['stop', 'orchestrator']]])(
    '%j exits 1 with a reason when nothing runs (#12)',
    async (words) => {
      await withProject({}, async (project) => {
        const { code, stdout } = await line(project, words);
        expect([code, stdout]).toEqual([
          1,
          'Nothing to stop: no host of this project is running.\n',
        ]);
      });
    },
  );

  it('sends a person who means a task to `worker stop` (2)', async () => {
    await withProject({}, async (project) => {
      const { code, stderr } = await line(project, ['stop', 'AB-1']);
      expect(code).toBe(2);
      expect(stderr).toContain('wiggum worker stop ID');
    });
  });
});
