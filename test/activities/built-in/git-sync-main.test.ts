import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { BuiltInOrder } from '../../../activities/built-in/built-in-order.ts';
import { syncMain } from '../../../activities/built-in/git-sync-main.ts';
import { commitStep } from '../../../activities/git/commit.ts';
import type { RunPlace } from '../../../workflows/domain/agent.ts';
import { performAndDie, type DeathPoint } from '../../helpers/perform-and-die.ts';
import { pictureOf, workOn } from '../../helpers/with-pull-request.ts';
import { withRepository, type TestProject } from '../../helpers/with-repository.ts';

describe('workflow.git-sync-main', () => {
  it('has nothing to do when the target stands still', async () => {
    await withWork({ 'new.txt': 'x\n' }, async ({ order, git }) => {
      const before = await git('rev-parse', 'HEAD');
      expect(await syncMain(order)).toEqual({ result: 'PASS' });
      expect(await git('rev-parse', 'HEAD')).toBe(before);
    });
  });

  it('moves a branch without work on to the target', async () => {
    await withWork({}, async ({ order, project, git }) => {
      const tip = await project.commit('Second', { 'src/app.txt': 'two\n' });
      expect(await syncMain(order)).toEqual({ result: 'PASS' });
      expect(await git('rev-parse', 'HEAD')).toBe(tip);
      expect(await git('status', '--porcelain')).toBe('');
    });
  });

  it('commits what lies there, then merges the target; the user sees nothing of it', async () => {
    await withWork({ 'new.txt': 'x\n' }, async ({ order, project, place, git }) => {
      await project.write({ 'left-over.txt': 'y\n' }, place.workspace);
      const tip = await project.commit('Second', { 'src/app.txt': 'two\n' });
      const picture = await pictureOf(project);
      expect(await syncMain(order)).toEqual({ result: 'PASS' });
      expect(await git('log', '--first-parent', '--format=%s|%an|%at|%ct', 'main~1..HEAD')).toBe(
        'TASK-001: sync-main - merge of main|Chief Wiggum|1700000300|1700000300\n' +
          'TASK-001: pre-merge|Chief Wiggum|1700000300|1700000300\n' +
          'TASK-001: execution - engineering.coder|Chief Wiggum|1700000100|1700000100',
      );
      expect(await git('rev-parse', 'HEAD^2')).toBe(tip);
      expect(await git('show', 'HEAD:src/app.txt')).toBe('two');
      expect(await git('status', '--porcelain')).toBe('');
      expect(await isMerging(place)).toBe(false);
      expect(await pictureOf(project)).toEqual(picture);
      expect(await project.git(['rev-parse', 'refs/wiggum/base/TASK-001-1700000000'])).toBe(tip);
    });
  });

  it('leaves a conflict with its markers and says who changed what (#131)', async () => {
    await withConflict(async ({ order, project, place, git }) => {
      const { report, ...end } = await syncMain(order);
      expect(end).toEqual({ result: 'FAIL', detail: 'conflict in src/app.txt' });
      expect(await git('status', '--porcelain')).toBe('M  README.md\nUU src/app.txt');
      const marked = await readFile(path.join(place.workspace, 'src/app.txt'), 'utf8');
      expect(marked).toMatch(/^<<<<<<< HEAD\neins\n[^]*=======\nuno\n>>>>>>> heads\/main\n$/);
      expect(await git('rev-parse', 'MERGE_HEAD')).toBe(await project.git(['rev-parse', 'main']));
      const text = await readFile(report ?? '', 'utf8');
      expect(text).toMatch(/## src\/app\.txt\n\n- main: \w+ Second \(A User, /);
      expect(text).toMatch(/- task: \w+ TASK-001: execution - engineering\.coder \(Chief Wiggum, /);
    });
  });

  it('leaves a merge that the commit of the resolver concludes (#131)', async () => {
    await withConflict(async ({ order, project, place, git }) => {
      await syncMain(order);
      await project.write({ 'src/app.txt': 'eins und uno\n' }, place.workspace);
      await commitStep(place, { message: 'resolved', key: 'resolve-1', timestamp: 1700000400 });
      expect(await git('rev-parse', 'HEAD^2')).toBe(await git('rev-parse', 'main'));
      expect(await git('diff', '--name-only', 'main', 'HEAD')).toBe('src/app.txt');
      const next = { ...order, runId: 'sync-main-1700000500', epoch: 1700000500 };
      const head = await git('rev-parse', 'HEAD');
      expect(await syncMain(next)).toEqual({ result: 'PASS' });
      expect(await git('rev-parse', 'HEAD')).toBe(head);
    });
  });

  it('says so when an earlier conflict is not resolved, and keeps what was done on it', async () => {
    await withConflict(async ({ order, project, place, git }) => {
      await syncMain(order);
      await project.write({ 'note.txt': 'half way\n' }, place.workspace);
      const next = { ...order, runId: 'sync-main-1700000500', epoch: 1700000500 };
      expect(await syncMain(next)).toEqual({
        result: 'FAIL',
        detail: 'conflict markers in src/app.txt',
      });
      expect(await isMerging(place)).toBe(true);
      expect(await git('status', '--porcelain')).toContain('note.txt');
    });
  });

  it("takes the target's side of lock files without a model (#132)", async () => {
    const files = { 'package-lock.json': 'ours\n', 'web/yarn.lock': 'ours\n', 'new.txt': 'x\n' };
    await withWork(files, async ({ order, project, git }) => {
      await project.commit('Second', { 'package-lock.json': 'main\n', 'web/yarn.lock': 'main\n' });
      const { result, report } = await syncMain(order);
      expect(result).toBe('PASS');
      expect(await git('diff', '--name-only', 'main', 'HEAD')).toBe('new.txt');
      expect((await git('rev-list', '--parents', '-1', 'HEAD')).split(' ')).toHaveLength(3);
      expect(await readFile(report ?? '', 'utf8')).toContain('- web/yarn.lock');
    });
  });

  it('lets a lock file go that the target deleted (#132)', async () => {
    await withWork({ 'new.txt': 'x\n' }, async ({ order, project, place, git }) => {
      await project.commit('Lock', { 'Cargo.lock': 'one\n' });
      await syncMain(order);
      await project.write({ 'Cargo.lock': 'ours\n' }, place.workspace);
      await project.git(['rm', '--quiet', 'Cargo.lock']);
      await project.git(['commit', '--quiet', '-m', 'Without']);
      const next = { ...order, runId: 'sync-main-1700000500', epoch: 1700000500 };
      expect(await syncMain(next)).toMatchObject({ result: 'PASS' });
      expect(await git('ls-files')).not.toContain('Cargo.lock');
      expect(await git('status', '--porcelain')).toBe('');
    });
  });

  it('settles the lock files of a conflict and leaves the rest (#132)', async () => {
    await withConflict(
      async ({ order, git }) => {
        expect(await syncMain(order)).toMatchObject({
          result: 'FAIL',
          detail: 'conflict in src/app.txt',
        });
        expect(await git('diff', '--name-only', '--diff-filter=U')).toBe('src/app.txt');
        expect(await git('diff', '--cached', '--name-only', 'main')).not.toContain('go.sum');
      },
      { 'go.sum': 'x\n' },
    );
  });

  it('names files that may not be committed and stand in the way', async () => {
    await withWork({ 'new.txt': 'x\n' }, async ({ order, project, place, git }) => {
      await project.write({ '.env': 'A=1\n' }, place.workspace);
      await project.commit('Second', { '.env': 'A=2\n' });
      expect(await syncMain(order)).toEqual({
        result: 'FAIL',
        detail: 'main has files that lie uncommitted in the workspace: .env',
      });
      expect(await readFile(path.join(place.workspace, '.env'), 'utf8')).toBe('A=1\n');
      expect(await git('status', '--porcelain')).toBe('?? .env');
    });
  });

  it("keeps the target's own files whatever their names and contents are", async () => {
    const markers = '<<<<<<< a\n=======\n>>>>>>> b\n';
    await withWork({ 'src/app.txt': 'eins\n' }, async ({ order, project, place, git }) => {
      await project.commit('Second', {
        'src/app.txt': 'uno\n',
        '.env.example': 'A=\n',
        'docs/markers.txt': markers,
        '.gitattributes': '*.bin filter=lfs\n',
        'big.bin': 'pointer\n',
      });
      await syncMain(order);
      await project.write({ 'src/app.txt': 'eins und uno\n' }, place.workspace);
      await commitStep(place, { message: 'resolved', key: 'resolve-1', timestamp: 1700000400 });
      expect(await git('diff', '--name-only', 'main', 'HEAD')).toBe('src/app.txt');
      expect(await git('status', '--porcelain')).toBe('');
    });
  });

  const deaths: [string, DeathPoint][] = [
    ['before the left-overs are committed', { before: 'commit-tree' }],
    ['before the merge', { before: 'merge --quiet' }],
    ['right after the merge', { after: 'merge --quiet' }],
    ['before the report', { when: 'before the report' }],
  ];

  it.each<[string, DeathPoint]>([
    ...deaths,
    ['between the commit and the branch', { after: 'write-tree' }],
  ])(
    'makes the same commits after a death %s',
    async (_title, at) => {
      const act = async (world: World, die?: DeathPoint) => {
        await world.project.write({ 'left-over.txt': 'y\n' }, world.place.workspace);
        await moveTarget(world.project, { 'README.md': 'two\n' });
        if (die) await dieAt(world.order, die);
        expect(await syncMain(world.order)).toEqual({ result: 'PASS' });
        expect(await isMerging(world.place)).toBe(false);
        return {
          road: await world.git('log', '--first-parent', '--format=%s', 'main~1..HEAD'),
          files: await world.git('ls-tree', '-r', 'HEAD'),
          status: await world.git('status', '--porcelain'),
        };
      };
      await withWork({ 'new.txt': 'x\n' }, async (undisturbed) => {
        const expected = await act(undisturbed);
        await withWork({ 'new.txt': 'x\n' }, async (world) => {
          expect(await act(world, at)).toEqual(expected);
        });
      });
    },
    60_000,
  );

  it.each<[string, DeathPoint]>([...deaths.slice(1)])(
    'leaves the same conflict after a death %s',
    async (_title, at) => {
      await withConflict(async ({ order, project, place, git }) => {
        await dieAt(order, at);
        expect(await syncMain(order)).toMatchObject({
          result: 'FAIL',
          detail: 'conflict in src/app.txt',
        });
        expect(await git('status', '--porcelain')).toBe('M  README.md\nUU src/app.txt');
        expect(await git('rev-parse', 'MERGE_HEAD')).toBe(await project.git(['rev-parse', 'main']));
        expect(await git('log', '--format=%s', 'main~1..HEAD')).toBe(
          'TASK-001: execution - engineering.coder',
        );
        expect(await isMerging(place)).toBe(true);
      });
    },
    60_000,
  );

  it('undoes half of a merge that git itself was killed in', async () => {
    await withWork({ 'new.txt': 'x\n' }, async ({ order, project, place, git }) => {
      await moveTarget(project, { 'README.md': 'two\n', 'src/app.txt': 'two\n' });
      await dieAt(order, { before: 'merge --quiet' });
      // git writes files first, and only then says that it is merging.
      await project.write({ 'README.md': 'two\n' }, place.workspace);
      await rm(path.join(place.workspace, 'src/app.txt'));
      expect(await syncMain(order)).toEqual({ result: 'PASS' });
      expect(await git('diff', '--name-only', 'main', 'HEAD')).toBe('new.txt');
      expect(await git('rev-list', '--count', 'main..HEAD')).toBe('2');
    });
  });
});

interface World {
  project: TestProject;
  place: RunPlace;
  order: BuiltInOrder;
  git: (...args: string[]) => Promise<string>;
}

/** A task run that has committed some files. */
async function withWork(
  files: Record<string, string>,
  use: (world: World) => Promise<void>,
): Promise<void> {
  await withRepository(async (project) => {
    const place = await workOn(project, files);
    const order: BuiltInOrder = {
      place,
      agent: 'workflow.git-sync-main',
      runId: 'sync-main-1700000300',
      step: 'sync-main',
      epoch: 1700000300,
      target: 'main',
      title: 'Do it',
    };
    await use({ project, place, order, git: (...args) => project.git(args, place.workspace) });
  });
}

/** The same, with a target that moved on in the same file and another. */
function withConflict(
  use: (world: World) => Promise<void>,
  both: Record<string, string> = {},
): Promise<void> {
  const ours = Object.keys(both).map((file) => [file, 'ours\n'] as const);
  return withWork({ 'src/app.txt': 'eins\n', ...Object.fromEntries(ours) }, async (world) => {
    await moveTarget(world.project, { 'src/app.txt': 'uno\n', 'README.md': 'two\n', ...both });
    await use(world);
  });
}

function moveTarget(project: TestProject, files: Record<string, string>): Promise<string> {
  return project.commit('Second', files);
}

function dieAt(order: BuiltInOrder, at: DeathPoint): Promise<void> {
  return performAndDie('../../built-in/git-sync-main.ts', 'syncMain', order, at);
}

async function isMerging({ workerDir }: RunPlace): Promise<boolean> {
  const admin = path.join(workerDir, 'repo.git/worktrees/workspace');
  return readFile(path.join(admin, 'MERGE_HEAD')).then(
    () => true,
    () => false,
  );
}
