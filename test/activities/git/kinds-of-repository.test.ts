import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { mergePullRequest } from '../../../activities/forge/local/merge-pull-request.ts';
import { rebaseBranch } from '../../../activities/forge/local/rebase-branch.ts';
import { removeWorkspace } from '../../../activities/git/remove-workspace.ts';
import { proposeChange } from '../../helpers/with-pull-request.ts';
import { withRepository, type TestProject } from '../../helpers/with-repository.ts';

const AT = 1700000200;

/** Makes a project of another kind beside the usual one. */
type Kind = (project: TestProject) => Promise<TestProject>;

const shallow: Kind = async (project) => {
  await project.commit('Second', { 'README.md': 'two\n' });
  await project.commit('Third', { 'README.md': 'three\n' });
  const clone = path.join(project.dir, '..', 'shallow');
  await project.git(['clone', '--quiet', '--depth=1', `file://${project.dir}`, clone]);
  return at(project, clone);
};

const KINDS: [string, Kind][] = [
  ['a repository with sha256', (project) => made(project, ['--object-format=sha256'])],
  ['a shallow clone', shallow],
  [
    'a linked worktree',
    async (project) => {
      const linked = path.join(project.dir, '..', 'linked');
      await project.git(['checkout', '--quiet', '-b', 'aside']);
      await project.git(['worktree', 'add', '--quiet', linked, 'main']);
      return at(project, linked);
    },
  ],
  [
    'a folder with blanks, quotes and an emoji in its name',
    async (project) => {
      const odd = path.join(project.dir, '..', `my "odd" $proj 'ect 🦆`);
      await project.git(['clone', '--quiet', project.dir, odd]);
      return at(project, odd);
    },
  ],
  [
    'a clone with remotes and a tag',
    async (project) => {
      const clone = path.join(project.dir, '..', 'clone');
      await project.git(['tag', 'v1']);
      await project.git(['clone', '--quiet', project.dir, clone]);
      return at(project, clone);
    },
  ],
  [
    'a project with a submodule',
    async (project) => {
      const allow = ['-c', 'protocol.file.allow=always'];
      const outer = await made(project, []);
      await outer.git([...allow, 'submodule', '--quiet', 'add', project.dir, 'lib']);
      await outer.git(['commit', '--quiet', '-m', 'Add lib']);
      return outer;
    },
  ],
];

describe.each(KINDS)('%s', (_kind, make) => {
  it('takes a task from workspace to merge, over a moved target (#113)', async () => {
    await withRepository(async (usual) => {
      const project = await make(usual);
      const { place } = await proposeChange(project, { 'new.txt': 'x\n' });
      await project.commit('Meanwhile', { 'src/app.txt': 'two\n' });
      const input = { place, number: 1, timestamp: AT };
      expect(await mergePullRequest(input)).toEqual({ kind: 'behind' });
      expect(await rebaseBranch(input)).toMatchObject({ kind: 'rebased' });
      expect(await mergePullRequest(input)).toMatchObject({ kind: 'merged' });
      expect(await project.git(['log', '-2', '--format=%s', 'main'])).toBe(
        'TASK-001: Do it\nMeanwhile',
      );
      expect(await readFile(path.join(project.dir, 'new.txt'), 'utf8')).toBe('x\n');
      expect(await project.git(['status', '--porcelain', '--untracked-files=no'])).toBe('');
      expect(await removeWorkspace(place)).toEqual({});
      await project.git(['fsck', '--strict', '--connectivity-only']);
    });
  });
});

describe('a user with settings of his own', () => {
  const settings = [
    '[fetch]\n\tprune = true\n\tpruneTags = true\n\twriteCommitGraph = true',
    '[status]\n\trelativePaths = true\n\tshowUntrackedFiles = all\n\tbranch = true',
    '[color]\n\tui = always',
    '[core]\n\tquotePath = true\n\tpager = false\n\teditor = false\n\thooksPath = hooks',
    '[diff]\n\texternal = false\n\tnoprefix = true\n\trenames = copies',
    '[log]\n\tshowSignature = true',
    '[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = false',
    '[merge]\n\tff = false',
    '[user]\n\tuseConfigOnly = true',
    '[safe]\n\tbareRepository = explicit',
    '[transfer]\n\tfsckObjects = true',
    '[protocol]\n\tversion = 0',
    '[submodule]\n\trecurse = true',
    '[push]\n\tfollowTags = true',
    '[rebase]\n\tautoStash = false\n\tupdateRefs = true',
  ];
  const before = process.env['GIT_CONFIG_GLOBAL'];
  afterEach(() => {
    if (before === undefined) delete process.env['GIT_CONFIG_GLOBAL'];
    else process.env['GIT_CONFIG_GLOBAL'] = before;
  });

  it('gets his merges all the same, and keeps his tags and branches (#113)', async () => {
    await withRepository(async (usual) => {
      const clone = path.join(usual.dir, '..', 'clone');
      await usual.git(['clone', '--quiet', usual.dir, clone]);
      const project = at(usual, clone);
      await project.git(['tag', 'mine']);
      await project.git(['branch', 'aside']);
      const file = path.join(project.dir, '..', 'gitconfig');
      await writeFile(file, settings.join('\n'));
      process.env['GIT_CONFIG_GLOBAL'] = file;
      const refs = await project.git(['for-each-ref']);
      const { place } = await proposeChange(project, { 'é.txt': 'x\n' });
      const input = { place, number: 1, timestamp: AT };
      await project.write({ 'README.md': 'unsaved\n' });
      expect(await mergePullRequest(input)).toMatchObject({ kind: 'blocked' });
      await project.git(['checkout', '--', 'README.md']);
      await project.commit('Meanwhile', { 'src/app.txt': 'two\n' });
      expect(await mergePullRequest(input)).toEqual({ kind: 'behind' });
      expect(await rebaseBranch(input)).toMatchObject({ kind: 'rebased' });
      expect(await mergePullRequest(input)).toMatchObject({ kind: 'merged' });
      expect(await readFile(path.join(project.dir, 'é.txt'), 'utf8')).toBe('x\n');
      const kept = (list: string) =>
        list.split('\n').filter((line) => !/wiggum|heads.main/.test(line));
      expect(kept(await project.git(['for-each-ref']))).toEqual(kept(refs));
    });
  });
});

describe('a checkout with line endings of its own', () => {
  it.each([
    ['core.autocrlf', 'true', ''],
    ['core.eol', 'crlf', '* text=auto\n'],
    ['core.autocrlf', 'false', '* text eol=crlf\n'],
  ])('follows a merge with %s=%s and attributes "%s"', async (key, value, attributes) => {
    await withRepository(async (project) => {
      await project.git(['config', key, value]);
      if (attributes) await project.commit('Attributes', { '.gitattributes': attributes });
      await project.commit('Text', { 'text.txt': 'one\r\ntwo\r\n' });
      expect(await project.git(['status', '--porcelain'])).toBe('');
      const { place } = await proposeChange(project, { 'new.txt': 'a\nb\n' });
      expect(await project.git(['diff', '--name-only', 'main'], place.workspace)).toBe('new.txt');
      expect(await mergePullRequest({ place, number: 1, timestamp: AT })).toMatchObject({
        kind: 'merged',
      });
      expect(await project.git(['status', '--porcelain'])).toBe('');
      expect(await readFile(path.join(project.dir, 'new.txt'), 'utf8')).toBe('a\r\nb\r\n');
      expect(await project.git(['cat-file', 'blob', 'main:new.txt'])).toBe('a\nb');
    });
  });

  it('keeps files whose carriage returns are part of them', async () => {
    await withRepository(async (project) => {
      await project.commit('Windows', { 'win.txt': 'one\r\ntwo\r\n' });
      const { place } = await proposeChange(project, { 'win.txt': 'one\r\ntwo\r\nthree\r\n' });
      await mergePullRequest({ place, number: 1, timestamp: AT });
      expect(await project.git(['diff', '--stat', 'HEAD~1', 'HEAD'])).toContain('1 insertion(+)');
      expect(await readFile(path.join(project.dir, 'win.txt'), 'utf8')).toBe(
        'one\r\ntwo\r\nthree\r\n',
      );
    });
  });
});

describe('a repository that changes its shape while a task runs', () => {
  it('is merged into after a shallow clone got its whole history', async () => {
    await withRepository(async (usual) => {
      const project = await shallow(usual);
      const { place } = await proposeChange(project, { 'new.txt': 'x\n' });
      await project.git(['-c', 'protocol.file.allow=always', 'fetch', '--quiet', '--unshallow']);
      expect(await mergePullRequest({ place, number: 1, timestamp: AT })).toMatchObject({
        kind: 'merged',
      });
      expect(await project.git(['rev-list', '--count', 'main'])).toBe('4');
    });
  });

  it('is merged into after a collection of everything that is not referenced', async () => {
    await withRepository(async (project) => {
      const { place } = await proposeChange(project, { 'new.txt': 'x\n' });
      await project.git(['commit', '--quiet', '--amend', '-m', 'Rewritten']);
      await project.git(['reflog', 'expire', '--expire=now', '--all']);
      await project.git(['gc', '--quiet', '--prune=now']);
      const input = { place, number: 1, timestamp: AT };
      expect(await mergePullRequest(input)).toEqual({ kind: 'behind' });
      expect(await rebaseBranch(input)).toMatchObject({ kind: 'rebased' });
      expect(await mergePullRequest(input)).toMatchObject({ kind: 'merged' });
      expect(await project.git(['log', '--format=%s', 'main'])).toBe('TASK-001: Do it\nRewritten');
    });
  });

  it('is merged into where the target is checked out, a linked worktree (#113)', async () => {
    await withRepository(async (project) => {
      const linked = path.join(project.dir, '..', 'linked');
      await project.git(['checkout', '--quiet', '-b', 'mine']);
      await project.git(['worktree', 'add', '--quiet', linked, 'main']);
      const { place } = await proposeChange(project, { 'new.txt': 'x\n' });
      await project.write({ 'new.txt': 'mine\n' }, linked);
      const input = { place, number: 1, timestamp: AT };
      expect(await mergePullRequest(input)).toEqual({
        kind: 'blocked',
        reason: `main is checked out in ${path.resolve(linked)}: new.txt is in the way and not tracked; move it away`,
      });
      await project.git(['clean', '--quiet', '-fd'], linked);
      expect(await mergePullRequest(input)).toMatchObject({ kind: 'merged' });
      expect(await readFile(path.join(linked, 'new.txt'), 'utf8')).toBe('x\n');
      expect(await project.git(['status', '--porcelain'], linked)).toBe('');
    });
  });
});

function at(project: TestProject, dir: string): TestProject {
  const ralphDir = path.join(dir, '.ralph');
  const git: TestProject['git'] = (args, cwd = dir) => project.git(args, cwd);
  const write: TestProject['write'] = (files, cwd = dir) => project.write(files, cwd);
  return {
    ...project,
    dir,
    git,
    write,
    commit: async (message, files) => {
      await write(files);
      await git(['add', '--', ...Object.keys(files)]);
      await git(['commit', '--quiet', '-m', message]);
      return git(['rev-parse', 'HEAD']);
    },
    place: (taskId, epoch) => {
      const known = project.place(taskId, epoch);
      const workerDir = path.join(ralphDir, 'workers', path.basename(known.workerDir));
      const workspace = path.join(workerDir, 'workspace');
      return { ...known, projectDir: dir, ralphDir, workerDir, workspace };
    },
  };
}

async function made(project: TestProject, options: string[]): Promise<TestProject> {
  const dir = path.join(project.dir, '..', 'other');
  await mkdir(dir);
  const other = at(project, dir);
  await other.git(['init', '--quiet', '--initial-branch=main', ...options]);
  await other.commit('First', { 'src/app.txt': 'one\n', '.gitignore': '.ralph/\n' });
  return other;
}
