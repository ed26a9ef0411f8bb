import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { knownBackend, loadProjectConfig, resolveBackend } from '../../config/project-config.ts';
import { withFolder } from '../helpers/with-folder.ts';

const config = async (folder: string, text?: string) => {
  if (text !== undefined) await writeFile(path.join(folder, 'config.json'), text);
  return loadProjectConfig(folder);
};

describe('loadProjectConfig', () => {
  it('means all defaults where there is no file', async () => {
    await withFolder(async (folder) => {
      expect(await config(folder)).toEqual({
        checks: [],
        runtime: {},
        git: {},
        workers: {},
        agents: {},
      });
    });
  });

  it('reads every setting, and lets those of the original program pass', async () => {
    const all = {
      checks: ['npm test'],
      runtime: { backend: 'script', script: 'demo.yaml' },
      git: { author_name: 'A', author_email: 'a@example.com', default_branch: 'main' },
      workers: { max_workers: 3, fix_worker_limit: 4 },
      agents: { 'engineering.test': { max_iterations: 5, max_turns: 6, timeout_seconds: 7 } },
      plan_mode: true,
      review: { approved_users: ['somebody'] },
    };
    await withFolder(async (folder) => {
      expect(await config(folder, `\uFEFF${JSON.stringify(all)}`)).toEqual(all);
    });
  });

  it.each([
    ['', /it is empty; the smallest right content is {}/],
    ['{', /it is not JSON/],
    ['[]', /\(whole file\): /],
    [
      '{"checks": "npm test", "workers": {"max_workers": 0}}',
      /checks: .*\n {2}workers\.max_workers: /,
    ],
    ['{"agents": {"a.b": {"max_turns": "many"}}}', /agents\.a\.b\.max_turns: /],
  ])('names file and key of what is wrong: %s', async (text, message) => {
    await withFolder(async (folder) => {
      await expect(config(folder, text)).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        where: path.join(folder, 'config.json'),
        message: expect.stringMatching(message),
      });
    });
  });

  it('names a file that cannot be read', async () => {
    await withFolder(async (folder) => {
      await mkdir(path.join(folder, 'config.json'));
      await expect(loadProjectConfig(folder)).rejects.toMatchObject({
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
    await withFolder(async (folder) => {
      const home = path.join(folder, 'home');
      await mkdir(path.join(home, 'config'), { recursive: true });
      const file = path.join(home, 'config', 'config.json');
      if (given.global)
        await writeFile(file, JSON.stringify({ runtime: { backend: given.global } }));
      const backend = await resolveBackend({
        environment: { WIGGUM_HOME: home, WIGGUM_RUNTIME_BACKEND: given.env },
        config: await config(folder, JSON.stringify({ runtime: { backend: given.project } })),
      });
      expect(backend).toBe(expected);
    });
  });

  it('takes no other folder for the global one when WIGGUM_HOME is not set (#201)', async () => {
    await withFolder(async (folder) => {
      const original = path.join(folder, '.claude', 'chief-wiggum', 'config');
      await mkdir(original, { recursive: true });
      await writeFile(path.join(original, 'config.json'), '{"runtime": {"backend": "script"}}');
      const environment = { HOME: folder };
      expect(await resolveBackend({ environment, config: await config(folder) })).toBe('claude');
    });
  });

  it('refuses a backend that nobody implements, wherever it is named', async () => {
    await withFolder(async (folder) => {
      const asked = resolveBackend({
        environment: { WIGGUM_HOME: folder, WIGGUM_RUNTIME_BACKEND: 'gpt' },
        config: await config(folder),
      });
      await expect(asked).rejects.toMatchObject({
        code: 'BACKEND_UNKNOWN',
        message: 'There is no backend "gpt"; known are claude, script.',
      });
      expect(() => knownBackend('Claude')).toThrow();
    });
  });
});
