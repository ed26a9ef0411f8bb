import { mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { git } from '../../../activities/git/git.ts';
import { createWorkspace } from '../../../activities/git/workspace.ts';
import { enterWorkspace } from '../../../activities/git/task-repository.ts';
import { makeRepository, withRepository, type TestProject } from '../../helpers/with-repository.ts';

const BRANCH = 'task/TASK-001-1700000000';

describe('createWorkspace', () => {
  it('makes a worktree on the task branch at the tip of the target (#113)', async () => {
    await withRepository(async (project) => {
      const place = project.place();
      const tip = await project.git(['rev-parse', 'main']);
      await expect(createWorkspace(place)).resolves.toEqual({
        branch: BRANCH,
        base: tip,
        target: 'main',
      });
      expect(await project.git(['rev-parse', 'HEAD'], place.workspace)).toBe(tip);
      expect(await project.git(['branch', '--show-current'], place.workspace)).toBe(BRANCH);
      expect(await project.git(['status', '--porcelain'], place.workspace)).toBe('');
      expect(await project.git(['remote'], place.workspace)).toBe('');
      expect(await readFile(path.join(place.workspace, 'src/app.txt'), 'utf8')).toBe('one\n');
    });
  });

  it('changes nothing in the user repository but refs/wiggum (#113)', async () => {
    await withRepository(async (project) => {
      await project.write({ 'README.md': 'edited\n', 'untracked.txt': 'mine\n' });
      await project.write({ '.git/hooks/post-checkout': '#!/bin/sh\n' });
      const before = await pictureOf(project);
      const { base } = await createWorkspace(project.place());
      const after = await pictureOf(project);
      expect(after).toEqual({
        ...before,
        refs: [...before.refs, `${base} refs/wiggum/base/TASK-001-1700000000`].sort(),
      });
    });
  });

  it('starts from the asked target branch', async () => {
    await withRepository(async (project) => {
      const tip = await project.git(['rev-parse', 'HEAD']);
      await project.git(['branch', 'release']);
      await project.commit('Second', { 'README.md': 'two\n' });
      const made = await createWorkspace(project.place(), { target: 'release' });
      expect(made).toMatchObject({ base: tip, target: 'release' });
    });
  });

  it('takes the usual branch when HEAD is detached', async () => {
    await withRepository(async (project) => {
      await project.git(['checkout', '--quiet', '--detach']);
      expect(await createWorkspace(project.place())).toMatchObject({ target: 'main' });
    });
  });

  it('refuses a repository without a commit', async () => {
    const project = await makeRepository({ empty: true });
    try {
      await expect(createWorkspace(project.place())).rejects.toMatchObject({ code: 'NO_COMMIT' });
    } finally {
      await project.remove();
    }
  });

  it('refuses a folder that is no repository', async () => {
    await withRepository(async (project) => {
      await rm(path.join(project.dir, '.git'), { recursive: true });
      await expect(createWorkspace(project.place())).rejects.toMatchObject({
        code: 'NOT_A_REPOSITORY',
      });
    });
  });

  it('refuses a task name that would leave its folder', async () => {
    await withRepository(async (project) => {
      const place = { ...project.place(), taskId: '../../x' };
      await expect(createWorkspace(place)).rejects.toMatchObject({ code: 'TASK_UNKNOWN' });
    });
  });

  it('adopts its own workspace with the work in it, although the target moved', async () => {
    await withRepository(async (project) => {
      const place = project.place();
      const first = await createWorkspace(place);
      await project.write({ 'new.txt': 'work\n' }, place.workspace);
      await project.commit('Second', { 'README.md': 'two\n' });
      expect(await createWorkspace(place)).toEqual(first);
      expect(await readFile(path.join(place.workspace, 'new.txt'), 'utf8')).toBe('work\n');
    });
  });

  it.each(['a plain folder', 'a file', 'a link', 'a repository of another run'])(
    'refuses %s in the place of the workspace',
    async (what) => {
      await withRepository(async (project) => {
        const place = project.place();
        await mkdir(place.workerDir, { recursive: true });
        if (what === 'a plain folder')
          await project.write({ 'precious.txt': 'x' }, place.workspace);
        if (what === 'a file') await writeFile(place.workspace, 'precious');
        if (what === 'a link') await symlink(project.dir, place.workspace);
        if (what === 'a repository of another run')
          await project.git(['init', '--quiet', '--bare', path.join(place.workerDir, 'repo.git')]);
        const before = await readdir(place.workerDir, { recursive: true });
        await expect(createWorkspace(place)).rejects.toMatchObject({ code: 'WORKSPACE_FOREIGN' });
        expect(await readdir(place.workerDir, { recursive: true })).toEqual(before);
      });
    },
  );

  it('makes eight workspaces at once', async () => {
    await withRepository(async (project) => {
      const places = Array.from({ length: 8 }, (_, index) => project.place(`TASK-${index + 1}`));
      const made = await Promise.all(places.map((place) => createWorkspace(place)));
      expect(new Set(made.map(({ branch }) => branch)).size).toBe(8);
    });
  });
});

describe('createWorkspace after a death in the middle', () => {
  const half: [string, (project: TestProject) => Promise<void>][] = [
    [
      'of making the task repository',
      async (project) => {
        const { workerDir } = project.place();
        await project.write(
          { HEAD: 'ref: x\n' },
          path.join(workerDir, 'repo.git.unfinished-0123abcd'),
        );
      },
    ],
    [
      'before the base was kept alive',
      async (project) => {
        await createWorkspace(project.place());
        await project.git(['update-ref', '-d', 'refs/wiggum/base/TASK-001-1700000000']);
        await unready(project);
      },
    ],
    [
      'of `worktree add`, which leaves `locked initializing`',
      async (project) => {
        const place = project.place();
        await createWorkspace(place);
        await unready(project);
        const admin = path.join(place.workerDir, 'repo.git/worktrees/workspace');
        await writeFile(path.join(admin, 'locked'), 'initializing');
        await rm(path.join(admin, 'HEAD'));
        await rm(path.join(place.workspace, 'README.md'));
      },
    ],
    [
      'before the folder was made',
      async (project) => {
        const place = project.place();
        await createWorkspace(place);
        await unready(project);
        await rm(place.workspace, { recursive: true });
      },
    ],
    [
      'of the checkout, which leaves an index.lock',
      async (project) => {
        const place = project.place();
        await createWorkspace(place);
        await unready(project);
        const admin = path.join(place.workerDir, 'repo.git/worktrees/workspace');
        await writeFile(path.join(admin, 'index.lock'), '');
        await rm(path.join(admin, 'index'));
        await rm(path.join(place.workspace, 'src'), { recursive: true });
      },
    ],
    [
      'of the clean-up after such a death',
      async (project) => {
        const place = project.place();
        await createWorkspace(place);
        await unready(project);
        await rm(path.join(place.workerDir, 'repo.git/worktrees'), { recursive: true });
        await rm(place.workspace, { recursive: true });
        await project.write({ 'rest.txt': 'x' }, `${place.workspace}.unfinished-0123abcd`);
      },
    ],
  ];

  it.each(half)('repairs what is left when killed in the middle %s', async (_title, die) => {
    await withRepository(async (project) => {
      const place = project.place();
      const base = await project.git(['rev-parse', 'HEAD']);
      await die(project);
      expect(await createWorkspace(place)).toEqual({ branch: BRANCH, base, target: 'main' });
      expect(await project.git(['status', '--porcelain'], place.workspace)).toBe('');
      expect(await project.git(['branch', '--show-current'], place.workspace)).toBe(BRANCH);
      expect(await project.git(['for-each-ref', 'refs/wiggum'])).toContain(base);
      expect((await readdir(place.workerDir)).sort()).toEqual(['repo.git', 'workspace']);
    });
  });
});

describe('a workspace that an agent worked in', () => {
  it('runs nothing that the agent planted in configuration, hooks or attributes', async () => {
    await withRepository(async (project) => {
      const place = project.place();
      await createWorkspace(place);
      const trap = path.join(project.dir, '..', 'trap');
      const payload = `touch ${trap}`;
      for (const key of ['core.fsmonitor', 'filter.x.clean', 'filter.x.smudge', 'diff.external'])
        await project.git(['config', key, payload], place.workspace);
      await project.write(
        { '.gitattributes': '* filter=x\n', 'README.md': 'edited\n' },
        place.workspace,
      );
      const { tree } = await enterWorkspace(place);
      await git(tree, ['add', '-A']);
      expect(await git(tree, ['status', '--porcelain'])).toContain('README.md');
      await expect(readFile(trap)).rejects.toMatchObject({ code: 'ENOENT' });
    });
  });

  it.each(['workspace', 'repo.git', 'repo.git/worktrees'])(
    'is reported as gone when %s vanished (#65)',
    async (name) => {
      await withRepository(async (project) => {
        const place = project.place();
        await createWorkspace(place);
        await rm(path.join(place.workerDir, name), { recursive: true });
        await expect(enterWorkspace(place)).rejects.toMatchObject({ code: 'WORKSPACE_GONE' });
      });
    },
  );

  it('gets its way back to git when the agent made a repository of its own there', async () => {
    await withRepository(async (project) => {
      const place = project.place();
      await createWorkspace(place);
      await rm(path.join(place.workspace, '.git'));
      await project.git(['init', '--quiet', '.'], place.workspace);
      await enterWorkspace(place);
      expect(await project.git(['branch', '--show-current'], place.workspace)).toBe(BRANCH);
    });
  });
});

async function unready(project: TestProject): Promise<void> {
  const { workerDir } = project.place();
  await rm(path.join(workerDir, 'repo.git/worktrees/workspace/wiggum-ready'));
}

async function pictureOf(project: TestProject) {
  const gitDir = path.join(project.dir, '.git');
  const refs = await project.git(['for-each-ref', '--format=%(objectname) %(refname)']);
  return {
    refs: refs.split('\n').sort(),
    head: await readFile(path.join(gitDir, 'HEAD'), 'utf8'),
    config: await readFile(path.join(gitDir, 'config'), 'utf8'),
    index: await readFile(path.join(gitDir, 'index'), 'base64'),
    status: await project.git(['status', '--porcelain']),
    hooks: (await readdir(path.join(gitDir, 'hooks'))).sort(),
    entries: (await readdir(gitDir)).sort(),
  };
}
