import { describe, expect, it } from '@jest/globals';
import { serializePullRequest } from '../../../config/pull-request-file.ts';
import type { PullRequest } from '../../../workflows/domain/pull-request.ts';
import { aBoard } from '../../helpers/a-board.ts';
import { jsonOf, wiggumLine } from '../../helpers/run-line.ts';
import { withFolder } from '../../helpers/with-folder.ts';
import { withRepository, type TestProject } from '../../helpers/with-repository.ts';
import { mkdir } from 'node:fs/promises';

function aPullRequest(number: number, differences: Partial<PullRequest>): PullRequest {
  return {
    number,
    taskId: 'AB-1',
    epoch: 1700000000,
    title: 'AB-1: Say hello',
    branch: 'task/AB-1-1700000000',
    target: 'main',
    head: 'a'.repeat(40),
    base: 'b'.repeat(40),
    state: 'open',
    url: '',
    ...differences,
  };
}

async function withPullRequests(use: (project: TestProject) => Promise<void>): Promise<void> {
  await withRepository(async (project) => {
    const record = (number: number, differences: Partial<PullRequest>) => ({
      [`.ralph/pull-requests/${number}/pull-request.json`]: serializePullRequest(
        aPullRequest(number, differences),
      ),
    });
    await project.write({
      '.ralph/kanban.md': aBoard().withTask('AB-1', { marker: 'P' }).text(),
      ...record(1, {
        taskId: 'XY-7',
        title: 'XY-7: Done',
        state: 'merged',
        mergedAs: 'c'.repeat(40),
      }),
      ...record(2, {}),
      ...record(3, { taskId: 'ZZ-1', title: 'ZZ-1: Closed', state: 'closed' }),
      '.ralph/pull-requests/2/description.md': '# What it does\n',
      '.ralph/pull-requests/2/changes.diff': '+hello\n',
    });
    await use(project);
  });
}

const pr = ({ dir }: TestProject, ...words: string[]) => wiggumLine(['pr', ...words], { cwd: dir });

describe('pr list', () => {
  it.each([[[]], [['list']]])('%j shows the open pull requests', async (words) => {
    await withPullRequests(async (project) => {
      expect(await pr(project, ...words)).toEqual({
        code: 0,
        stdout: '#2  AB-1  open  task/AB-1-1700000000 → main  AB-1: Say hello\n',
        stderr: '',
      });
    });
  });

  it('shows all of them with --all', async () => {
    await withPullRequests(async (project) => {
      const { stdout } = await pr(project, 'list', '--all');
      expect(stdout.match(/^#\d/gm)).toEqual(['#1', '#2', '#3']);
    });
  });

  it('tells them as JSON, and a damaged record beside them', async () => {
    await withPullRequests(async (project) => {
      await project.write({ '.ralph/pull-requests/4/pull-request.json': '{' });
      const answer = await pr(project, 'list', '--json');
      expect(jsonOf(answer)).toMatchObject({
        pullRequests: [{ number: 2, taskId: 'AB-1' }],
        problems: [{ number: 4 }],
      });
      expect((await pr(project)).stderr).toContain('warning: pull request 4: ');
    });
  });

  it('says that there are none', async () => {
    await withRepository(async (project) => {
      expect(await pr(project)).toMatchObject({ code: 0, stdout: 'No open pull requests.\n' });
    });
  });
});

describe('pr view', () => {
  it.each(['2', '#2', 'AB-1', 'ab'])('finds it by %s (#5)', async (wanted) => {
    await withPullRequests(async (project) => {
      const { code, stdout } = await pr(project, 'view', wanted);
      expect(code).toBe(0);
      expect(stdout).toContain('#2 AB-1: Say hello');
      expect(stdout).toContain('# What it does');
      expect(stdout).toContain('+hello');
    });
  });

  it('tells it as JSON', async () => {
    await withPullRequests(async (project) => {
      expect(jsonOf(await pr(project, 'view', '2', '--json'))).toMatchObject({
        number: 2,
        description: '# What it does\n',
        diff: '+hello\n',
      });
    });
  });
});

describe('pr merge', () => {
  it('has nothing to do for what is merged, with exit 0', async () => {
    await withPullRequests(async (project) => {
      expect(await pr(project, 'merge', 'XY-7')).toMatchObject({
        code: 0,
        stdout: 'Pull request 1 (XY-7) is merged already.\n',
      });
      expect(jsonOf(await pr(project, 'merge', '1', '--json'))).toMatchObject({ merged: true });
    });
  });

  it('refuses what is closed, with exit 43 and the way on', async () => {
    await withPullRequests(async (project) => {
      const { code, stderr } = await pr(project, 'merge', '3');
      expect(code).toBe(43);
      expect(stderr).toContain('wiggum worker restart ZZ-1');
    });
  });
});

describe('a pull request that is not there', () => {
  it.each([
    ['view', '9'],
    ['merge', '9'],
    ['merge', 'NO-1'],
    ['view', 'NO-1'],
  ])('gives %s %s exit 42', async (action, wanted) => {
    await withPullRequests(async (project) => {
      const { code, stderr } = await pr(project, action, wanted);
      expect(code).toBe(42);
      expect(stderr).toContain('PULL_REQUEST_MISSING');
    });
  });
});

describe('pr refuses', () => {
  it.each([[['view']], [['merge']], [['squash']], [['merge', '1', '2']]])(
    '%j with exit 2 (#190)',
    async (words) => {
      await withPullRequests(async (project) => {
        expect((await pr(project, ...words)).code).toBe(2);
      });
    },
  );

  it('a repository without .ralph, with exit 40', async () => {
    await withFolder(async (cwd) => {
      await mkdir(`${cwd}/.git`);
      expect((await wiggumLine(['pr'], { cwd })).code).toBe(40);
    });
  });
});
