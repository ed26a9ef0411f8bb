import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { jsonOf, wiggumLine, type Answer } from '../../helpers/run-line.ts';
import { withRepository, type TestProject } from '../../helpers/with-repository.ts';

const KEY = 'agents.engineering.security-audit.max_turns';
const PIPELINE = {
  name: 'audited',
  cost_limit: 3,
  steps: [
    {
      id: 'audit',
      agent: 'engineering.security-audit',
      max: 2,
      config: { max_turns: 80 },
      timeout_seconds: 500,
    },
  ],
};

type Line = (words: string[], environment?: Record<string, string>) => Promise<Answer>;

async function withSettings(
  use: (config: Line, project: TestProject) => Promise<void>,
): Promise<void> {
  await withRepository(async (project) => {
    await project.write({
      '.ralph/config.json': JSON.stringify({
        agents: { 'engineering.security-audit': { max_turns: 70 } },
        git: { author_name: 'A' },
        review: { fix_max_turns: 30 },
      }),
      '.ralph/pipeline.json': JSON.stringify(PIPELINE),
      '../home/config/config.json': JSON.stringify({
        agents: { 'engineering.security-audit': { max_turns: 65 } },
        git: { author_name: 'G', author_email: 'g@example.com' },
        cost_limit: 9,
      }),
    });
    const home = { WIGGUM_HOME: path.join(project.dir, '..', 'home') };
    await use(
      (words, environment = {}) =>
        wiggumLine(['config', ...words], {
          cwd: project.dir,
          environment: { ...home, ...environment },
        }),
      project,
    );
  });
}

describe('config explain', () => {
  it('shows the value in force and everything it overrules, in order (#98)', async () => {
    await withSettings(async (config, project) => {
      const { code, stdout } = await config(['explain', KEY, '--step', 'audit'], {
        WIGGUM_SECURITY_AUDIT_MAX_TURNS: '90',
      });
      const home = path.join(project.dir, '..', 'home', 'config', 'config.json');
      expect(code).toBe(0);
      expect(stdout.split('\n')).toEqual([
        `${KEY} = 90`,
        '  in force   90  environment: WIGGUM_SECURITY_AUDIT_MAX_TURNS',
        '  overruled  80  .ralph/pipeline.json: step audit: config.max_turns',
        '  overruled  70  .ralph/config.json',
        `  overruled  65  ${home}`,
        '  overruled  60  shipped config/agents.json',
        '  overruled  30  shipped config/agents.json: defaults.max_turns',
        '  overruled  30  built in',
        '',
      ]);
    });
  });

  it('gives the same as JSON', async () => {
    await withSettings(async (config, project) => {
      const answer = await config(['explain', 'git.author_name', '--json']);
      expect(jsonOf(answer)).toEqual({
        key: 'git.author_name',
        value: 'A',
        source: path.join(project.dir, '.ralph/config.json'),
        isRead: true,
        levels: [
          {
            source: path.join(project.dir, '.ralph/config.json'),
            key: 'git.author_name',
            value: 'A',
          },
          {
            source: path.join(project.dir, '../home/config/config.json'),
            key: 'git.author_name',
            value: 'G',
          },
          { source: 'built in', key: 'git.author_name', value: 'Chief Wiggum' },
        ],
      });
    });
  });

  it.each([
    ['runtime.backend', {}, 'claude', 'built in'],
    ['runtime.backend', { WIGGUM_RUNTIME_BACKEND: 'script' }, 'script', 'environment'],
    ['workers.max_workers', { WIGGUM_MAX_WORKERS: '7' }, 7, 'environment'],
    ['plan_mode', {}, false, 'built in'],
    ['plan_mode', { WIGGUM_PLAN_MODE: 'yes' }, true, 'environment'],
    ['checks', {}, [], 'built in'],
    ['cost_limit', { WIGGUM_WORKER_COST_LIMIT: '1.5' }, 1.5, 'environment'],
  ])('knows %s with %j', async (key, environment, value, source) => {
    await withSettings(async (config) => {
      const answer = await config(['explain', key, '--json'], environment);
      expect(jsonOf(answer)).toMatchObject({ key, value, source });
    });
  });

  it("puts a task's pipeline over variable and settings for its cost limit (#56)", async () => {
    await withSettings(async (config) => {
      const words = ['explain', 'cost_limit', '--task', 'AB-1'];
      const { stdout } = await config(words, { WIGGUM_WORKER_COST_LIMIT: '5' });
      expect(stdout).toMatch(
        /^cost_limit = 3\n {2}in force +3 {2}\.ralph\/pipeline\.json\n {2}overruled {2}5 {2}environment: WIGGUM_WORKER_COST_LIMIT\n {2}overruled {2}9 {2}/,
      );
    });
  });

  it("asks a step's config, the step and then the agent for its time (#57)", async () => {
    await withSettings(async (config, project) => {
      const key = 'agents.engineering.security-audit.timeout_seconds';
      const { stdout } = await config(['explain', key, '--step', 'audit']);
      expect(stdout).toContain(
        `${key} = 500\n  in force   500   .ralph/pipeline.json: step audit: timeout_seconds\n  overruled  2400  shipped`,
      );
      const [step] = PIPELINE.steps;
      const steps = [{ ...step, config: { timeout_seconds: 400 } }];
      await project.write({ '.ralph/pipelines/short.json': JSON.stringify({ steps }) });
      const named = await config(['explain', key, '--pipeline', 'short', '--step', 'audit']);
      expect(named.stdout).toContain(`${key} = 400\n`);
    });
  });

  it('explains everything below a part of a key', async () => {
    await withSettings(async (config) => {
      const { stdout } = await config(['explain', 'git']);
      expect(stdout.match(/^git\.\w+ = .*$/gm)).toEqual([
        'git.author_email = g@example.com',
        'git.author_name = A',
        'git.default_branch = not set',
      ]);
    });
  });

  it('says when nobody reads a key of the file', async () => {
    await withSettings(async (config) => {
      const { stdout } = await config(['explain', 'review.fix_max_turns']);
      expect(stdout).toContain('review.fix_max_turns = 30\n  no part of this program reads');
    });
  });

  it('takes an old name of an agent for its name of today (#183)', async () => {
    await withSettings(async (config) => {
      const { stdout } = await config(['explain', 'agents.general.task-summarizer.max_turns']);
      expect(stdout).toContain('agents.system.task-summarizer.max_turns = 10');
    });
  });

  it.each([
    [['explain', 'git.autor_name'], 2, 'did you mean "git.author_name"?'],
    [['explain', 'agents.engineering.security-audt.max_turns'], 2, 'security-audit.max_turns"?'],
    [['explain', 'xyzzy'], 2, '`wiggum config` lists them all.'],
    [['explain'], 2, 'explain needs a key'],
    [['list', 'git'], 2, 'wiggum config explain git'],
    [['explain', KEY, '--step', 'nope'], 2, 'has no step "nope"; it has audit'],
    [['explain', 'agents.product.plan-mode.max_turns', '--step', 'audit'], 2, 'Step audit runs'],
  ])('refuses %j', async (words, code, message) => {
    await withSettings(async (config) => {
      const answer = await config(words);
      expect(answer).toMatchObject({ code, stdout: '' });
      expect(answer.stderr).toContain(message);
    });
  });

  it.each([
    [{ WIGGUM_SECURITY_AUDIT_MAX_TURNS: '201' }, KEY, 'from 1 to 200, found 201'],
    [{ WIGGUM_MAX_WORKERS: 'many' }, 'workers.max_workers', '"many" is not a whole number'],
    [{ WIGGUM_WORKER_COST_LIMIT: '-1' }, 'cost_limit', '"-1" is not an amount'],
  ])('refuses the value of %j as a run does (#102)', async (environment, key, message) => {
    await withSettings(async (config) => {
      const { code, stderr } = await config(['explain', key], environment);
      expect(code).toBe(3);
      expect(stderr).toContain(message);
    });
  });
});

describe('config list', () => {
  it('is what `config` alone does: every value in force with its source', async () => {
    await withSettings(async (config, project) => {
      const { stdout } = await config([]);
      expect((await config(['list'])).stdout).toBe(stdout);
      const lines = stdout.split('\n').map((line) => line.split(/ {2,}/));
      const home = path.join(project.dir, '..', 'home', 'config', 'config.json');
      expect(lines).toEqual(
        expect.arrayContaining([
          ['checks', '[]', 'built in'],
          ['cost_limit', '9', home],
          ['git.author_name', 'A', '.ralph/config.json'],
          ['git.default_branch', 'not set'],
          ['review.fix_max_turns', '30', '.ralph/config.json (not read)'],
          [KEY, '70', '.ralph/config.json'],
          ['agents.engineering.security-audit.max_iterations', '8', 'shipped config/agents.json'],
          ['agents.engineering.security-audit.auto_commit', 'false', 'built in'],
        ]),
      );
    });
  });

  it('is a list of settings with all of their levels as JSON', async () => {
    await withSettings(async (config) => {
      const { settings } = jsonOf<{ settings: { key: string; levels: unknown[] }[] }>(
        await config(['--json']),
      );
      expect(settings.find(({ key }) => key === KEY)?.levels).toHaveLength(5);
    });
  });

  it('goes on over an agent whose file is wrong', async () => {
    await withSettings(async (config, project) => {
      await project.write({ '.ralph/agents/test/one.md': 'no agent' });
      expect((await config([])).stdout).toMatch(/^agents\.test\.one\.max_turns +30 /m);
    });
  });
});
