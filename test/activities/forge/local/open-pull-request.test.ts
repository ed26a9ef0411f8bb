import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { openPullRequest } from '../../../../activities/forge/local/open-pull-request.ts';
import { commitStep } from '../../../../activities/git/commit.ts';
import { findPullRequest, readPullRequests } from '../../../../config/pull-request-file.ts';
import type { RunPlace } from '../../../../workflows/domain/agent.ts';
import { performAndDie, type DeathPoint } from '../../../helpers/perform-and-die.ts';
import { aStep, pictureOf, proposeChange, workOn } from '../../../helpers/with-pull-request.ts';
import { withRepository, type TestProject } from '../../../helpers/with-repository.ts';

const ODD_TITLE = 'Say "hi" to `$USER` \\n $(id) — naïve 日本語 🦆 %s';

describe('openPullRequest', () => {
  it('records branch, target, commits and a readable description (#117)', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'src/new.txt': 'a\nb\n' });
      await writeFile(
        path.join(place.workerDir, 'prd.md'),
        '# Task: TASK-001 - Do it\n\n- [x] Work\n',
      );
      const steps = [aStep(), aStep({ step: 'test', agent: 'engineering.tester', seconds: 5 })];
      const opened = await openPullRequest({ place, title: 'Do it', target: 'main', steps });
      expect(opened).toEqual({
        number: 1,
        taskId: 'TASK-001',
        epoch: 1700000000,
        title: 'TASK-001: Do it',
        branch: 'task/TASK-001-1700000000',
        target: 'main',
        head: await project.git(['rev-parse', 'HEAD'], place.workspace),
        base: await project.git(['rev-parse', 'main']),
        state: 'open',
        url: expect.stringMatching(
          /^file:.*\/pull-requests\/1\/description\.md$/,
        ) as unknown as string,
      });
      expect(await findPullRequest(place.ralphDir, 'TASK-001')).toEqual(opened);
      expect(await readFile(fileURLToPath(opened.url), 'utf8')).toBe(
        [
          '# Task: TASK-001 - Do it',
          '',
          '- [x] Work',
          '',
          '## Changelog',
          '',
          `- TASK-001: execution - engineering.coder (${opened.head.slice(0, 10)})`,
          '',
          '1 file changed, 2 lines added, 0 lines removed.',
          '',
          '## Steps',
          '',
          '| Step | Agent | Result | Iterations | Time | Cost |',
          '|---|---|---|---|---|---|',
          '| execution | engineering.coder | PASS | 2 | 1 min 15 s | $1.23 |',
          '| test | engineering.tester | PASS | 2 | 5 s | $1.23 |',
          '',
          '## Metrics',
          '',
          '- Time: 1 min 20 s',
          '- Agent runs: 2, 4 iterations, 82 turns',
          '- Cost: $2.47',
          '',
        ].join('\n'),
      );
      const diff = await readFile(path.join(folderOf(place, 1), 'changes.diff'), 'utf8');
      expect(diff).toContain('+++ b/src/new.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n');
    });
  });

  it('changes nothing in the project and merges nothing by itself (#113, #122)', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'new.txt': 'x\n' });
      const before = await pictureOf(project);
      await openPullRequest({ place, title: 'Do it', target: 'main', steps: [] });
      expect(await pictureOf(project)).toEqual(before);
    });
  });

  it('carries odd titles and file names unchanged (#22)', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'sp ace "q" é 🦆.txt': 'x\n' });
      await openPullRequest({ place, title: ODD_TITLE, target: 'main', steps: [] });
      expect((await findPullRequest(place.ralphDir, 1)).title).toBe(`TASK-001: ${ODD_TITLE}`);
      const { mergePullRequest } =
        await import('../../../../activities/forge/local/merge-pull-request.ts');
      await mergePullRequest({ place, number: 1, timestamp: 1700000200 });
      expect(await project.git(['log', '-1', '--format=%s', 'main'])).toBe(
        `TASK-001: ${ODD_TITLE}`,
      );
      expect(await readFile(path.join(project.dir, 'sp ace "q" é 🦆.txt'), 'utf8')).toBe('x\n');
    });
  });

  it('finds the pull request of its run again and brings it up to date (#118)', async () => {
    await withRepository(async (project) => {
      const { place, pullRequest } = await proposeChange(project, { 'one.txt': '1\n' });
      expect(await propose(place)).toEqual(pullRequest);
      await project.write({ 'two.txt': '2\n' }, place.workspace);
      await commitStep(place, { message: 'More', key: 'more', timestamp: 1700000160 });
      const renewed = await propose(place);
      expect(renewed).toEqual({
        ...pullRequest,
        head: await project.git(['rev-parse', 'HEAD'], place.workspace),
      });
      expect(await readdir(path.dirname(folderOf(place, 1)))).toEqual(['1']);
      expect(await readFile(path.join(folderOf(place, 1), 'changes.diff'), 'utf8')).toContain('+2');
    });
  });

  it('says that it was opened, once (#169)', async () => {
    await withRepository(async (project) => {
      const { place, pullRequest } = await proposeChange(project, { 'one.txt': '1\n' });
      await propose(place);
      const log = await readFile(path.join(place.workerDir, 'activity.jsonl'), 'utf8');
      expect(JSON.parse(log)).toMatchObject({
        event: 'pr.created',
        pr_number: 1,
        pr_url: pullRequest.url,
        branch: pullRequest.branch,
      });
    });
  });

  it('gives every run a number of its own, also when many ask at once', async () => {
    await withRepository(async (project) => {
      const places: RunPlace[] = [];
      for (let index = 1; index <= 5; index += 1)
        places.push(await workOn(project, { [`${index}.txt`]: 'x\n' }, `TASK-00${index}`));
      const [first] = places;
      // The first run asks twice: an attempt that was given up may still be at work.
      const opened = await Promise.all([...places, first as RunPlace].map(propose));
      // A number that the second attempt took and gave back may be left out.
      expect(new Set(opened.slice(0, 5).map(({ number }) => number)).size).toBe(5);
      expect(opened[5]?.number).toBe(opened[0]?.number);
      const { pullRequests, problems } = await readPullRequests((first as RunPlace).ralphDir);
      expect(pullRequests).toHaveLength(5);
      expect(problems).toEqual([]);
    });
  });

  it('opens none when its own record is damaged, and passes over that of another (#118)', async () => {
    await withRepository(async (project) => {
      const { place } = await proposeChange(project, { 'one.txt': '1\n' });
      const other = await workOn(project, { 'two.txt': '2\n' }, 'TASK-002');
      const file = path.join(folderOf(place, 1), 'pull-request.json');
      await writeFile(file, (await readFile(file, 'utf8')).slice(0, -40));
      await expect(propose(place)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
      expect(await propose(other)).toMatchObject({ number: 2, taskId: 'TASK-002' });
    });
  });

  it('fails for good when the record cannot be written (#119)', async () => {
    await withRepository(async (project) => {
      const place = await workOn(project, { 'one.txt': '1\n' });
      await writeFile(path.join(place.ralphDir, 'pull-requests'), 'in the way');
      await expect(propose(place)).rejects.toMatchObject({
        code: 'NOT_WRITABLE',
        retryable: false,
      });
    });
  });

  it('replaces a diff that nobody could read by its outline', async () => {
    await withRepository(async (project) => {
      const { place } = await proposeChange(project, {
        'big.txt': `${'x'.repeat(99)}\n`.repeat(200_000),
      });
      const file = path.join(folderOf(place, 1), 'changes.diff');
      expect((await stat(file)).size).toBeLessThan(1000);
      expect(await readFile(file, 'utf8')).toContain('big.txt | 200000 +');
    });
  });
});

describe('opening whose process is killed', () => {
  it.each<[string, DeathPoint]>([
    ['before the branch is published', { before: 'fetch --quiet' }],
    ['between fetch and branch', { after: 'fetch --quiet' }],
    ['before the diff is written', { before: 'diff --no-ext-diff' }],
    ['between effect and report', { when: 'before the report' }],
  ])(
    '%s leaves one pull request after the next attempt (#118)',
    async (_title, at) => {
      await withRepository(async (project) => {
        const place = await workOn(project, { 'new.txt': 'x\n' });
        const input = { place, title: 'Do it', target: 'main', steps: [] };
        await performAndDie('open-pull-request.ts', 'openPullRequest', input, at);
        const opened = await openPullRequest(input);
        expect(opened.number).toBe(1);
        expect(await readdir(path.join(place.ralphDir, 'pull-requests'))).toEqual(['1']);
        expect((await readdir(folderOf(place, 1))).sort()).toEqual([
          'changes.diff',
          'description.md',
          'pull-request.json',
        ]);
        expect(await publishedTip(project, place)).toBe(opened.head);
      });
    },
    60_000,
  );
});

function propose(place: RunPlace) {
  return openPullRequest({ place, title: 'Do it', target: 'main', steps: [aStep()] });
}

function folderOf({ ralphDir }: RunPlace, number: number): string {
  return path.join(ralphDir, 'pull-requests', String(number));
}

function publishedTip(project: TestProject, { ralphDir }: RunPlace): Promise<string> {
  const publisher = path.join(ralphDir, 'publisher.git');
  return project.git(['rev-parse', 'refs/heads/task/TASK-001-1700000000'], publisher);
}
