import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  costLimitLevels,
  knownBackend,
  loadProjectConfig,
  mergeConfig,
  resolveBackend,
} from '../../config/project-config.ts';
import { inForce } from '../../config/setting.ts';
import { withFolder } from '../helpers/with-folder.ts';

interface Texts {
  project?: string;
  global?: string;
}

/** A project and an installation with these files of settings. */
async function withConfig<T>(
  { project, global }: Texts,
  use: (place: { ralphDir: string; environment: { WIGGUM_HOME: string } }) => Promise<T>,
): Promise<T> {
  return withFolder(async (ralphDir) => {
    const home = path.join(ralphDir, 'home');
    await mkdir(path.join(home, 'config'), { recursive: true });
    if (project !== undefined) await writeFile(path.join(ralphDir, 'config.json'), project);
    if (global !== undefined) await writeFile(path.join(home, 'config', 'config.json'), global);
    return use({ ralphDir, environment: { WIGGUM_HOME: home } });
  });
}

const load = (texts: Texts) =>
  withConfig(texts, ({ ralphDir, environment }) => loadProjectConfig(ralphDir, environment));

const json = (value: object) => JSON.stringify(value);

describe('loadProjectConfig', () => {
  it('means all defaults where there is no file (#200)', async () => {
    expect(await load({})).toEqual({
      checks: [],
      runtime: { backend: 'claude' },
      git: { author_name: 'Chief Wiggum', author_email: 'wiggum@localhost' },
      workers: { max_workers: 4 },
      hooks: { commands: {} },
      plan_mode: false,
      files: [],
    });
  });

  it('reads every setting, and lets those of the original program pass', async () => {
    const limits = { max_iterations: 5, max_turns: 6, timeout_seconds: 70 };
    const all = {
      checks: ['npm test'],
      runtime: {
        backend: 'script',
        script: 'demo.yaml',
        backends: { claude: { max_retries: 3, prompts: { pre_system: 'Hello', post_user: '' } } },
      },
      git: { author_name: 'A', author_email: 'a@example.com', default_branch: 'main' },
      workers: { max_workers: 3, fix_worker_limit: 4 },
      hooks: { enabled: true, commands: { fmt: ['npx', 'prettier', '--write'] } },
      agents: {
        'engineering.test': {
          ...limits,
          supervisor_interval: 0,
          max_restarts: 0,
          auto_commit: true,
        },
      },
      plan_mode: true,
      cost_limit: 2.5,
      review: { approved_users: ['somebody'] },
    };
    const { files, ...read } = await load({ project: `\uFEFF${json(all)}` });
    expect(read).toEqual(all);
    expect(files).toHaveLength(1);
  });

  it("puts the project's file over that of the installation key by key at any depth (#100, #201)", async () => {
    const { files, ...read } = await load({
      project: json({
        checks: ['npm test'],
        runtime: { backends: { claude: { prompts: { pre_user: 'ours' } } } },
        git: { author_name: 'P' },
        agents: { 'a.b': { max_turns: 5 } },
        review: { deep: { one: 1 } },
      }),
      global: json({
        checks: ['make', 'make test'],
        runtime: {
          backend: 'script',
          backends: { claude: { prompts: { pre_user: 'theirs', post_user: 'bye' } } },
        },
        git: { author_name: 'G', author_email: 'g@example.com' },
        agents: { 'a.b': { max_turns: 9, max_restarts: 1 }, 'a.c': { max_turns: 8 } },
        review: { deep: { two: 2 } },
        plan_mode: true,
      }),
    });
    expect(read).toEqual({
      checks: ['npm test'],
      runtime: {
        backend: 'script',
        backends: { claude: { prompts: { pre_user: 'ours', post_user: 'bye' } } },
      },
      git: { author_name: 'P', author_email: 'g@example.com' },
      workers: { max_workers: 4 },
      hooks: { commands: {} },
      agents: { 'a.b': { max_turns: 5, max_restarts: 1 }, 'a.c': { max_turns: 8 } },
      review: { deep: { one: 1, two: 2 } },
      plan_mode: true,
    });
    expect(files).toHaveLength(2);
  });

  it('lets a project switch off what the installation switches on (#100)', async () => {
    const project = json({ plan_mode: false, checks: [], cost_limit: 0 });
    const global = json({ plan_mode: true, checks: ['make'], cost_limit: 5 });
    expect(await load({ project, global })).toMatchObject({
      plan_mode: false,
      checks: [],
      cost_limit: 0,
    });
  });

  it('takes no key of a file for one of the language (#100)', async () => {
    const text = '{"constructor": {"a": 1}, "toString": {}, "agents": {"valueof": {}}}';
    const read = await load({ project: text, global: text });
    expect(read).toMatchObject({ checks: [], constructor: { a: 1 }, agents: { valueof: {} } });
    await expect(load({ project: '{"__proto__": {"checks": ["x"]}}' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });

  it.each([
    ['', /config\.json: the file is empty/],
    ['{\n  "checks": [\n', /config\.json:\d+: this is not JSON/],
    ['{\n\u0000', /NUL byte in line 2/],
    ['[]', /config\.json:1: expected an object, found \[\]/],
    ['null', /expected an object, found null/],
    ['{"git": {},\n "git": {}}', /config\.json:2: the same key stands twice/],
    [
      '{\n"checks": "npm test",\n"workers": {"max_workers": 0}}',
      /config\.json:2: checks: expected a list of texts, found "npm test"\n {2}\S+config\.json:3: workers\.max_workers: .* found 0/,
    ],
    ['{"cost_limit": "3"}', /cost_limit: expected an amount in dollars, 0 or more, found "3"/],
    ['{"hooks": {"commands": {"Fmt": ["a"]}}}', /hooks\.commands\.Fmt: .* found "Fmt"/],
    ['{"hooks": {"commands": {"fmt": []}}}', /hooks\.commands\.fmt: expected a program/],
    ['{"hooks": {"commands": {"fmt": "npx x"}}}', /hooks\.commands\.fmt: .* found "npx x"/],
  ])('names file, line and key of what is wrong: %j (#210)', async (text, message) => {
    for (const level of ['project', 'global'] as const)
      await withConfig({ [level]: text }, async ({ ralphDir, environment }) => {
        const { WIGGUM_HOME: home } = environment;
        await expect(loadProjectConfig(ralphDir, environment)).rejects.toMatchObject({
          code: 'CONFIG_INVALID',
          exitCode: 3,
          where: path.join(level === 'project' ? ralphDir : `${home}/config`, 'config.json'),
          message: expect.stringMatching(message),
        });
      });
  });

  it.each([
    ['max_iterations', 101, 'a whole number from 1 to 100, found 101'],
    ['max_iterations', 0, 'a whole number from 1 to 100, found 0'],
    ['max_turns', 201, 'a whole number from 1 to 200, found 201'],
    ['max_turns', 1.5, 'a whole number from 1 to 200, found 1.5'],
    ['timeout_seconds', 59, 'a whole number from 60 to 86400, found 59'],
    ['timeout_seconds', 86_401, 'a whole number from 60 to 86400, found 86401'],
    ['supervisor_interval', 21, 'a whole number from 0 to 20, found 21'],
    ['max_restarts', -1, 'a whole number from 0 to 10, found -1'],
    ['max_restarts', 11, 'a whole number from 0 to 10, found 11'],
    ['auto_commit', 'yes', 'true or false, found "yes"'],
  ])('refuses %s %j by file, key and value (#102)', async (name, value, found) => {
    const loading = load({ project: json({ agents: { 'a.b': { [name]: value } } }) });
    await expect(loading).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(
        new RegExp(`config\\.json:1: agents\\.a\\.b\\.${name}: expected ${found}$`),
      ),
    });
  });

  it('refuses a bad name of an agent (#102)', async () => {
    await expect(load({ project: json({ agents: { 'A b': {} } }) })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/agents\.A b: expected an agent type .*found "A b"/),
    });
  });

  it('names a file that cannot be read (#210)', async () => {
    await withFolder(async (folder) => {
      await mkdir(path.join(folder, 'config.json'));
      await expect(loadProjectConfig(folder, {})).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/cannot be read/),
      });
    });
  });
});

describe('resolveBackend', () => {
  it.each([
    ['the environment', { env: 'script', project: 'claude', global: 'claude' }, 'script'],
    ['the project', { env: '', project: 'script', global: 'claude' }, 'script'],
    ['the installation', { env: undefined, project: undefined, global: 'script' }, 'script'],
    ['nothing', { env: undefined, project: undefined, global: undefined }, 'claude'],
  ])('lets %s decide where nobody above does (#101)', async (_name, given, expected) => {
    const text = (backend: string | undefined) => json({ runtime: { backend } });
    const config = await load({ project: text(given.project), global: text(given.global) });
    const environment = { WIGGUM_RUNTIME_BACKEND: given.env };
    expect(resolveBackend({ environment, config })).toBe(expected);
  });

  it('takes no other folder for the global one when WIGGUM_HOME is not set (#201)', async () => {
    await withFolder(async (folder) => {
      const original = path.join(folder, '.claude', 'chief-wiggum', 'config');
      await mkdir(original, { recursive: true });
      await writeFile(path.join(original, 'config.json'), '{"runtime": {"backend": "script"}}');
      const environment = { HOME: folder };
      const config = await loadProjectConfig(folder, environment);
      expect(resolveBackend({ environment, config })).toBe('claude');
    });
  });

  it('refuses a backend that nobody implements, wherever it is named', () => {
    const environment = { WIGGUM_RUNTIME_BACKEND: 'gpt' };
    expect(() => resolveBackend({ environment, config: mergeConfig([]) })).toThrow(
      expect.objectContaining({
        code: 'BACKEND_UNKNOWN',
        message: 'There is no backend "gpt"; known are claude, script.',
      }),
    );
    expect(() => knownBackend('Claude')).toThrow();
  });
});

describe('costLimitLevels', () => {
  it('takes the pipeline, then the variable, then the settings (#56)', async () => {
    const config = await load({ project: json({ cost_limit: 1 }) });
    const environment = { WIGGUM_WORKER_COST_LIMIT: '2.50' };
    const pipeline = { costLimitUsd: 3 };
    expect(inForce(costLimitLevels({ environment: {}, config: mergeConfig([]) }))).toBeUndefined();
    expect(inForce(costLimitLevels({ environment: {}, config, pipeline: {} }))).toBe(1);
    expect(inForce(costLimitLevels({ environment, config, pipeline: {} }))).toBe(2.5);
    expect(inForce(costLimitLevels({ environment, config, pipeline }))).toBe(3);
  });
});
