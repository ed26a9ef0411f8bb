import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { jsonOf, wiggumLine } from '../../helpers/run-line.ts';
import { withFolder } from '../../helpers/with-folder.ts';
import { withRepository } from '../../helpers/with-repository.ts';

async function filesOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map(async (entry) => {
    const file = path.join(entry.parentPath, entry.name);
    return [path.relative(folder, file), await readFile(file, 'utf8')] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}

describe('init', () => {
  it('makes the state folder, board, changelog and ignore file (#1)', async () => {
    await withRepository(async ({ dir }) => {
      const { code, stdout } = await wiggumLine(['init'], { cwd: dir });
      expect(code).toBe(0);
      expect(stdout).toContain('created .ralph/kanban.md');
      expect(stdout).toContain('wiggum run');
      const names = Object.keys(await filesOf(path.join(dir, '.ralph')));
      expect(names).toEqual(
        expect.arrayContaining(['.gitignore', 'kanban.md', 'changelog.md', 'config.json']),
      );
      const folders = await readdir(path.join(dir, '.ralph'));
      expect(folders).toEqual(
        expect.arrayContaining(['workers', 'results', 'logs', 'orchestrator']),
      );
    });
  });

  it('writes a board that is valid and starts nothing by itself (#1)', async () => {
    await withRepository(async ({ dir }) => {
      await wiggumLine(['init'], { cwd: dir });
      expect((await wiggumLine(['validate'], { cwd: dir })).code).toBe(0);
      const status = await wiggumLine(['status', '--json'], { cwd: dir });
      expect(jsonOf(status)).toMatchObject({ tasks: [{ state: 'not-planned' }] });
    });
  });

  it('changes nothing the second time (#1)', async () => {
    await withRepository(async ({ dir }) => {
      await wiggumLine(['init'], { cwd: dir });
      await writeFile(path.join(dir, '.ralph/kanban.md'), 'mine');
      const before = await filesOf(path.join(dir, '.ralph'));
      const { code, stdout } = await wiggumLine(['init'], { cwd: dir });
      expect([code, stdout]).toEqual([0, '.ralph is set up already; nothing was changed.\n']);
      expect(await filesOf(path.join(dir, '.ralph'))).toEqual(before);
    });
  });

  it('sets up the root of the repository from a folder below (#1)', async () => {
    await withRepository(async ({ dir }) => {
      const below = path.join(dir, 'src', 'deep');
      await mkdir(below, { recursive: true });
      expect((await wiggumLine(['init'], { cwd: below })).code).toBe(0);
      expect(await readdir(below)).toEqual([]);
      expect(await readdir(path.join(dir, '.ralph'))).toContain('kanban.md');
    });
  });

  it('exits 3 outside of a repository and leaves nothing behind (#1)', async () => {
    await withFolder(async (cwd) => {
      const { code, stderr } = await wiggumLine(['init'], { cwd });
      expect(code).toBe(3);
      expect(stderr).toContain('NOT_A_REPOSITORY');
      expect(await readdir(cwd)).toEqual([]);
    });
  });

  it('tells what it made as JSON', async () => {
    await withRepository(async ({ dir }) => {
      const answer = await wiggumLine(['init', '--json'], { cwd: dir });
      expect(jsonOf(answer)).toMatchObject({
        project: expect.stringMatching(/^project-[0-9a-f]{8}$/),
        created: expect.arrayContaining(['.ralph/kanban.md']),
      });
    });
  });

  it('names a folder that cannot be made', async () => {
    await withRepository(async ({ dir, git, write }) => {
      await rm(path.join(dir, '.ralph'), { recursive: true });
      await write({ '.ralph': 'a file stands in the way' });
      const { code, stderr } = await wiggumLine(['init'], { cwd: dir });
      expect(code).toBe(3);
      expect(stderr).toContain('NOT_WRITABLE');
      expect(await git(['status', '--porcelain'])).toContain('.ralph');
    });
  });
});
