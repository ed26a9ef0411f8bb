import {
  cp,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findProject, openProject } from '../../config/project.ts';
import { startChild } from '../helpers/a-child.ts';
import { withFolder } from '../helpers/with-folder.ts';

/** A folder with a repository and `.ralph/` in it, and a state folder beside it. */
async function withProject(
  use: (place: {
    home: string;
    dir: string;
    environment: { WIGGUM_STATE_DIR: string };
  }) => Promise<void>,
): Promise<void> {
  await withFolder(async (home) => {
    const dir = path.join(home, 'My Shop!');
    await mkdir(path.join(dir, '.git'), { recursive: true });
    await mkdir(path.join(dir, '.ralph'));
    await use({ home, dir, environment: { WIGGUM_STATE_DIR: path.join(home, 'state') } });
  });
}

const identity = async (dir: string) =>
  JSON.parse(await readFile(path.join(dir, '.ralph', 'project.json'), 'utf8')) as unknown;

describe('findProject', () => {
  it('finds the repository above a folder, initialised or not (#1)', async () => {
    await withProject(async ({ dir, home }) => {
      const deep = path.join(dir, 'src', 'deep');
      await mkdir(deep, { recursive: true });
      const ralphDir = path.join(dir, '.ralph');
      expect(await findProject(deep)).toEqual({ projectDir: dir, ralphDir, initialised: true });
      await rm(ralphDir, { recursive: true });
      expect(await findProject(deep)).toMatchObject({ initialised: false });
      await expect(findProject(home)).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' });
    });
  });

  it('takes the .git file of a linked worktree for a repository (#1)', async () => {
    await withProject(async ({ dir }) => {
      await rm(path.join(dir, '.git'), { recursive: true });
      await writeFile(path.join(dir, '.git'), 'gitdir: elsewhere\n');
      expect(await findProject(dir)).toMatchObject({ projectDir: dir });
    });
  });
});

describe('openProject', () => {
  it('makes the id once, from the name of the folder, and keeps it', async () => {
    await withProject(async ({ dir, environment }) => {
      const { project, notices } = await openProject(dir, environment);
      expect(project.id).toMatch(/^my-shop-[0-9a-f]{8}$/);
      expect(project.hostId).toMatch(new RegExp(`-[0-9a-f]{8}-${project.id.slice(-8)}$`));
      expect(project).toMatchObject({ projectDir: dir, ralphDir: path.join(dir, '.ralph') });
      expect(notices).toEqual([]);
      expect(await openProject(dir, environment)).toEqual({ project, notices: [] });
      expect(await identity(dir)).toEqual({ id: project.id, path: dir });
      expect(await readdir(path.join(dir, '.ralph'))).toEqual(['project.json']);
    });
  });

  it.each(['___', '日本', 'A'.repeat(200), '-x-'])(
    'makes a usable id of the name %s',
    async (name) => {
      await withProject(async ({ home, dir, environment }) => {
        const other = path.join(home, name);
        await rename(dir, other);
        const { project } = await openProject(other, environment);
        expect(project.id).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?-[0-9a-f]{8}$/);
        expect(project.id.length).toBeLessThan(60);
      });
    },
  );

  it('asks for init where there is no .ralph folder (#1)', async () => {
    await withProject(async ({ dir, environment }) => {
      await rm(path.join(dir, '.ralph'), { recursive: true });
      await expect(openProject(dir, environment)).rejects.toMatchObject({
        code: 'NOT_INITIALISED',
      });
    });
  });

  it('keeps the id of a project that was moved, without a word', async () => {
    await withProject(async ({ home, dir, environment }) => {
      const before = await openProject(dir, environment);
      const moved = path.join(home, 'moved');
      await rename(dir, moved);
      const { project, notices } = await openProject(moved, environment);
      expect([project.id, project.hostId]).toEqual([before.project.id, before.project.hostId]);
      expect(notices).toEqual([]);
      expect(await identity(moved)).toEqual({ id: project.id, path: moved });
    });
  });

  it('gives a copy an id of its own, once, and says so', async () => {
    await withProject(async ({ home, dir, environment }) => {
      const { project } = await openProject(dir, environment);
      const copy = path.join(home, 'copy');
      await cp(dir, copy, { recursive: true, preserveTimestamps: true });
      const opened = await openProject(copy, environment);
      expect(opened.project.id).toMatch(/^copy-[0-9a-f]{8}$/);
      expect(opened.notices).toEqual([
        expect.stringMatching(
          `This is a copy of ${dir}, which is still there.*${opened.project.id}`,
        ),
      ]);
      expect(await openProject(copy, environment)).toEqual({
        project: opened.project,
        notices: [],
      });
      expect((await openProject(dir, environment)).project).toEqual(project);
    });
  });

  it('gives each copy at one place another id', async () => {
    await withProject(async ({ home, dir, environment }) => {
      await openProject(dir, environment);
      const copy = path.join(home, 'copy');
      const ids = new Set<string>();
      for (let times = 0; times < 3; times += 1) {
        await cp(dir, copy, { recursive: true, preserveTimestamps: true });
        ids.add((await openProject(copy, environment)).project.id);
        await rm(copy, { recursive: true });
      }
      expect(ids.size).toBe(3);
    });
  });

  it('knows the same folder by another name', async () => {
    await withProject(async ({ home, dir, environment }) => {
      const { project } = await openProject(dir, environment);
      await symlink(dir, path.join(home, 'link'));
      const opened = await openProject(path.join(home, 'link'), environment);
      expect(opened).toEqual({ project, notices: [] });
    });
  });

  it.each([
    ['empty', '', /it is empty/],
    ['cut off', '{"id": "a-01', /it is not JSON/],
    ['of another shape', '{"id": "Nonsense", "path": 1}', /id: must look like.*; path:/],
  ])('names a damaged identity: %s', async (_name, text, message) => {
    await withProject(async ({ dir, environment }) => {
      const file = path.join(dir, '.ralph', 'project.json');
      await writeFile(file, text);
      await expect(openProject(dir, environment)).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        where: file,
        message: expect.stringMatching(message),
      });
      expect(await readFile(file, 'utf8')).toBe(text);
    });
  });

  it('names a damaged machine id instead of making another', async () => {
    await withProject(async ({ dir, environment }) => {
      const file = path.join(environment.WIGGUM_STATE_DIR, 'host-id');
      await mkdir(environment.WIGGUM_STATE_DIR);
      await writeFile(file, 'what is this\n');
      await expect(openProject(dir, environment)).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        where: file,
      });
    });
  });

  it('names a state folder that cannot be made', async () => {
    await withProject(async ({ home, dir }) => {
      await writeFile(path.join(home, 'file'), '');
      const environment = { WIGGUM_STATE_DIR: path.join(home, 'file', 'state') };
      await expect(openProject(dir, environment)).rejects.toMatchObject({ code: 'NOT_WRITABLE' });
    });
  });

  it('keeps one machine id for all projects of the machine', async () => {
    await withProject(async ({ home, dir, environment }) => {
      const other = path.join(home, 'other');
      await mkdir(path.join(other, '.ralph'), { recursive: true });
      await mkdir(path.join(other, '.git'));
      const machineOf = async (folder: string) =>
        (await openProject(folder, environment)).project.hostId.slice(0, -9);
      expect(await machineOf(other)).toBe(await machineOf(dir));
      const kept = await readFile(path.join(environment.WIGGUM_STATE_DIR, 'host-id'), 'utf8');
      expect(kept).toBe(`${await machineOf(dir)}\n`);
    });
  });
});

describe('commands that open a project at once', () => {
  const openMany = async (dir: string, state: string) => {
    const openers = [1, 2].map(() => startChild('project/opens-many-times.mjs', [dir, state]));
    await Promise.all(openers.map((opener) => opener.ended));
    return new Set(openers.flatMap((opener) => opener.said));
  };

  it('agree on one id', async () => {
    await withProject(async ({ dir, home, environment }) => {
      const said = await openMany(dir, path.join(home, 'state'));
      const { project } = await openProject(dir, environment);
      expect([...said]).toEqual([`${project.id} ${project.hostId}`]);
      expect(await readdir(path.join(dir, '.ralph'))).toEqual(['project.json']);
      expect(await readdir(environment.WIGGUM_STATE_DIR)).toEqual(['host-id']);
    });
  }, 20_000);

  it('agree on one id for a copy', async () => {
    await withProject(async ({ dir, home, environment }) => {
      const original = await openProject(dir, environment);
      const copy = path.join(home, 'copy');
      for (let times = 0; times < 4; times += 1) {
        await cp(dir, copy, { recursive: true });
        const said = await openMany(copy, path.join(home, 'state'));
        expect(said.size).toBe(1);
        expect([...said][0]).not.toContain(original.project.id);
        await rm(copy, { recursive: true });
      }
      expect(await realpath(dir)).toBe(dir);
    });
  }, 40_000);
});
