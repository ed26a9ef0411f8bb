import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { commitStep } from '../../../activities/git/commit.ts';
import { isNamedLikeSecret } from '../../../activities/git/secret-files.ts';
import { createWorkspace } from '../../../activities/git/workspace.ts';
import type { RunPlace } from '../../../workflows/domain/agent.ts';
import { withRepository, type TestProject } from '../../helpers/with-repository.ts';

const STEP = {
  message: 'TASK-001: build - engineering.software-engineer',
  key: 'TASK-001-1700000000/build/1',
  timestamp: 1_700_000_100,
};

describe('commitStep', () => {
  it('commits what a step changed, added and deleted (#54)', async () => {
    await inWorkspace(async ({ project, place, git }) => {
      await project.write({ 'README.md': 'changed\n', 'new/file.txt': 'new\n' }, place.workspace);
      await rm(path.join(place.workspace, 'src/app.txt'));
      const { commit, refusedFiles } = await commitStep(place, STEP);
      expect(refusedFiles).toEqual([]);
      expect(await git('rev-parse', 'HEAD')).toBe(commit);
      expect(await git('status', '--porcelain')).toBe('');
      expect(
        await git('show', '--no-renames', '--name-status', '--format=%s|%an|%ae|%at|%ct'),
      ).toBe(
        `${STEP.message}|Chief Wiggum|wiggum@localhost|1700000100|1700000100\n\n` +
          'M\tREADME.md\nA\tnew/file.txt\nD\tsrc/app.txt',
      );
    });
  });

  it('commits a step that only adds files (#54)', async () => {
    await inWorkspace(async ({ project, place, git }) => {
      await project.write({ 'added.txt': 'x\n' }, place.workspace);
      await commitStep(place, STEP);
      expect(await git('ls-tree', '--name-only', 'HEAD', 'added.txt')).toBe('added.txt');
    });
  });

  it('refuses changes of files that go through a git filter, and names them', async () => {
    await inWorkspace(async ({ project, place }) => {
      await project.write(
        { '.gitattributes': '*.bin filter=lfs\n', 'big.bin': 'x\n', 'plain.txt': 'x\n' },
        place.workspace,
      );
      await expect(commitStep(place, STEP)).rejects.toMatchObject({
        code: 'COMMIT_REFUSED',
        message: expect.stringMatching(/^big\.bin: git filters/) as unknown,
      });
    });
  });

  it('makes no commit when nothing changed', async () => {
    await inWorkspace(async ({ place, base, git }) => {
      expect(await commitStep(place, STEP)).toEqual({ refusedFiles: [] });
      expect(await git('rev-parse', 'HEAD')).toBe(base);
    });
  });

  it('finds its commit again instead of making a second one', async () => {
    await inWorkspace(async ({ project, place, git }) => {
      await project.write({ 'a.txt': 'x\n' }, place.workspace);
      const first = await commitStep(place, STEP);
      await project.write({ 'b.txt': 'later work\n' }, place.workspace);
      expect(await commitStep(place, STEP)).toEqual(first);
      expect(await git('rev-list', '--count', 'main..HEAD')).toBe('1');
    });
  });

  it('makes the same commit id when killed between commit and branch', async () => {
    await inWorkspace(async ({ project, place, git }) => {
      await project.write({ 'a.txt': 'x\n' }, place.workspace);
      const first = await commitStep(place, STEP);
      await git('update-ref', 'HEAD', 'HEAD~1');
      await writeFile(
        path.join(place.workerDir, 'repo.git/worktrees/workspace/index.lock'),
        'left by a dead process',
      );
      expect(await commitStep(place, STEP)).toEqual(first);
    });
  });

  it.each(['say "hi" $HOME `id` \\n 100%', "it's ünïcode 🎉 — done", '-rf --force'])(
    'carries the title %s unchanged (#22)',
    async (title) => {
      await inWorkspace(async ({ project, place, git }) => {
        await project.write({ 'a.txt': 'x\n' }, place.workspace);
        await commitStep(place, { ...STEP, message: title });
        expect(await git('log', '-1', '--format=%s')).toBe(title);
      });
    },
  );

  it('leaves out files named like secrets, names them, and keeps them (#115)', async () => {
    await inWorkspace(async ({ project, place, git }) => {
      const secrets = { '.env': 'A=1', 'config/.env.local': 'B=2', 'tls/server.pem': 'c' };
      await project.write({ ...secrets, 'code.txt': 'x\n' }, place.workspace);
      await git('add', '--all');
      const { refusedFiles } = await commitStep(place, STEP);
      expect(refusedFiles).toEqual(Object.keys(secrets).sort());
      expect(await git('show', '--name-only', '--format=')).toBe('code.txt');
      expect(await git('ls-files', '--others')).toBe(Object.keys(secrets).sort().join('\n'));
    });
  });

  it('takes a secret back out that the agent committed itself (#115)', async () => {
    await inWorkspace(async ({ project, place, git }) => {
      await project.write({ '.env': 'A=1' }, place.workspace);
      await git('add', '.env');
      await git('commit', '--quiet', '-m', 'oops');
      expect(await commitStep(place, STEP)).toMatchObject({ refusedFiles: ['.env'] });
      expect(await git('ls-tree', '-r', '--name-only', 'HEAD')).toBe('README.md\nsrc/app.txt');
    });
  });

  it('refuses staged conflict markers and names the files (#115)', async () => {
    await inWorkspace(async ({ project, place, base, git }) => {
      const conflict = '<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n';
      await project.write({ 'src/app.txt': conflict, 'fine.txt': 'x\n' }, place.workspace);
      await expect(commitStep(place, STEP)).rejects.toMatchObject({
        code: 'COMMIT_REFUSED',
        message: 'conflict markers in src/app.txt',
      });
      expect(await git('rev-parse', 'HEAD')).toBe(base);
    });
  });

  it('takes a heading that is underlined by seven signs', async () => {
    await inWorkspace(async ({ project, place }) => {
      await project.write({ 'doc.rst': 'Chapter\n=======\n' }, place.workspace);
      expect((await commitStep(place, STEP)).commit).toBeDefined();
    });
  });

  it('leaves a repository inside the workspace alone and names it', async () => {
    await inWorkspace(async ({ project, place, git }) => {
      await mkdir(path.join(place.workspace, 'vendor'));
      await project.git(['init', '--quiet', 'vendor'], place.workspace);
      await project.write({ 'a.txt': 'x\n', 'vendor/b.txt': 'y\n' }, place.workspace);
      expect(await commitStep(place, STEP)).toMatchObject({ refusedFiles: ['vendor/'] });
      expect(await git('show', '--name-only', '--format=')).toBe('a.txt');
    });
  });

  it('takes over commits that the agent made on a branch of its own', async () => {
    await inWorkspace(async ({ project, place, git }) => {
      await git('checkout', '--quiet', '-b', 'feature');
      await project.write({ 'a.txt': 'x\n' }, place.workspace);
      await git('add', 'a.txt');
      await git('commit', '--quiet', '-m', 'on a side branch');
      await project.write({ 'b.txt': 'y\n' }, place.workspace);
      await commitStep(place, STEP);
      expect(await git('branch', '--show-current')).toBe('task/TASK-001-1700000000');
      expect(await git('log', '--format=%s', 'main..HEAD')).toBe(
        `${STEP.message}\non a side branch`,
      );
    });
  });

  it('returns to the branch when the agent left a clean checkout of the base', async () => {
    await inWorkspace(async ({ project, place, git }) => {
      await project.write({ 'a.txt': 'x\n' }, place.workspace);
      const { commit } = await commitStep(place, STEP);
      await git('checkout', '--quiet', 'main');
      expect(await commitStep(place, { ...STEP, key: 'next' })).toEqual({ refusedFiles: [] });
      expect(await git('rev-parse', 'HEAD')).toBe(commit);
    });
  });

  it('concludes a merge that the agent began, with both parents', async () => {
    await inWorkspace(async ({ project, place, git }) => {
      await project.write({ 'a.txt': 'x\n' }, place.workspace);
      await commitStep(place, STEP);
      await git('checkout', '--quiet', '-b', 'other', 'main');
      await project.write({ 'b.txt': 'y\n' }, place.workspace);
      await git('add', 'b.txt');
      await git('commit', '--quiet', '-m', 'other');
      await git('checkout', '--quiet', 'task/TASK-001-1700000000');
      await git('merge', '--quiet', '--no-commit', '--no-ff', 'other');
      await commitStep(place, { ...STEP, key: 'merge' });
      expect((await git('rev-list', '--parents', '-1', 'HEAD')).split(' ')).toHaveLength(3);
      expect(await git('status')).toContain('nothing to commit');
    });
  });
});

describe('isNamedLikeSecret', () => {
  it.each([
    ['.env', true],
    ['a/.env.production', true],
    ['certs/site.pem', true],
    ['id.key', true],
    ['x/credentials.json', true],
    ['.secrets', true],
    ['.secrets/token', true],
    ['environment.ts', false],
    ['src/keys.ts', false],
    ['.envrc', false],
    ['credentials.json.md', false],
  ])('answers for %s with %s (#115)', (file, expected) => {
    expect(isNamedLikeSecret(file)).toBe(expected);
  });
});

interface World {
  project: TestProject;
  place: RunPlace;
  base: string;
  git: (...args: string[]) => Promise<string>;
}

async function inWorkspace(use: (world: World) => Promise<void>): Promise<void> {
  await withRepository(async (project) => {
    const place = project.place();
    const { base } = await createWorkspace(place);
    await use({ project, place, base, git: (...args) => project.git(args, place.workspace) });
  });
}
