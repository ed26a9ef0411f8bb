import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { mergeConfig } from '../../config/project-config.ts';
import { promptWrappers } from '../../config/prompt-wrappers.ts';
import { withFolder } from '../helpers/with-folder.ts';

type Prompts = Partial<Record<'pre_system' | 'post_system' | 'pre_user' | 'post_user', string>>;

const file = (name: string, prompts: Prompts, backend = 'claude') => ({
  file: name,
  values: { runtime: { backends: { [backend]: { prompts } } } },
});

const wrappers = (
  given: {
    environment?: Record<string, string>;
    project?: Prompts;
    global?: Prompts;
    backend?: string;
    projectDir?: string;
  } = {},
) =>
  promptWrappers({
    environment: given.environment ?? {},
    config: mergeConfig([
      file('.ralph/config.json', given.project ?? {}),
      file('home/config.json', given.global ?? {}),
    ]),
    backend: given.backend ?? 'claude',
    projectDir: given.projectDir ?? '/nowhere',
  });

const NONE = { preSystem: '', postSystem: '', preUser: '', postUser: '' };

describe('promptWrappers', () => {
  it('are empty where nobody wants any (#104)', async () => {
    expect(await wrappers()).toEqual(NONE);
  });

  it('come from the environment, then the project, then the installation (#104)', async () => {
    expect(
      await wrappers({
        environment: {
          WIGGUM_PROMPT_PRE_SYSTEM: 'env 1',
          WIGGUM_PROMPT_POST_USER: 'env 4',
          WIGGUM_PROMPT_PRE_USER: '',
        },
        project: { pre_system: 'project 1', pre_user: 'project 3' },
        global: { pre_system: 'global 1', post_system: ' global 2\n', pre_user: 'global 3' },
      }),
    ).toEqual({
      preSystem: 'env 1',
      postSystem: ' global 2\n',
      preUser: 'project 3',
      postUser: 'env 4',
    });
  });

  it("are those of the run's own backend (#104)", async () => {
    expect(await wrappers({ project: { pre_user: 'for claude' }, backend: 'script' })).toEqual(
      NONE,
    );
  });

  it('are read from @file, from the folder of the project on (#104)', async () => {
    await withFolder(async (projectDir) => {
      await mkdir(path.join(projectDir, 'docs'));
      await writeFile(path.join(projectDir, 'docs/rules.md'), 'Be kind. {{task_id}}\n');
      const read = await wrappers({
        environment: { WIGGUM_PROMPT_POST_SYSTEM: '@docs/rules.md' },
        project: { pre_user: `@${path.join(projectDir, 'docs/rules.md')}` },
        projectDir,
      });
      expect(read).toEqual({
        ...NONE,
        postSystem: 'Be kind. {{task_id}}\n',
        preUser: 'Be kind. {{task_id}}\n',
      });
    });
  });

  it('are refused with place and key when their file is not there (#104)', async () => {
    await withFolder(async (projectDir) => {
      const asked = wrappers({ project: { pre_user: '@docs/no.md' }, projectDir });
      await expect(asked).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        where: path.join(projectDir, 'docs/no.md'),
        message:
          '.ralph/config.json: runtime.backends.claude.prompts.pre_user: there is no file "docs/no.md"',
      });
    });
  });

  it.each(['@.', '@'])('are refused as %s, which is a folder (#104)', async (text) => {
    await withFolder(async (projectDir) => {
      await expect(wrappers({ project: { pre_user: text }, projectDir })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        where: projectDir,
      });
    });
  });
});
