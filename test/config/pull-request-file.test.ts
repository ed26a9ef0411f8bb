import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  findPullRequest,
  parsePullRequest,
  pullRequestFolder,
  readPullRequests,
  readPullRequestTexts,
  serializePullRequest,
} from '../../config/pull-request-file.ts';
import type { PullRequest } from '../../workflows/domain/pull-request.ts';
import { withFolder } from '../helpers/with-folder.ts';

const ID = '0123456789abcdef0123456789abcdef01234567';

/** Every field set: a forgotten one would not come back. */
const WHOLE: Required<PullRequest> = {
  number: 3,
  taskId: 'TASK-001',
  epoch: 1700000000,
  title: 'TASK-001: say "hi" 🦆 \\ `$x`',
  branch: 'task/TASK-001-1700000000',
  target: 'main',
  head: ID,
  base: ID.padEnd(64, '0'),
  state: 'merged',
  mergedAs: ID,
  url: 'file:///x/description.md',
};

describe('a pull request record', () => {
  it('comes back as it was written, with every field', () => {
    expect(parsePullRequest(serializePullRequest(WHOLE), 'x.json')).toEqual(WHOLE);
  });

  it('names all faults at once, with the file', () => {
    const text = JSON.stringify({ ...WHOLE, number: 0, head: 'HEAD', state: 'gone' });
    expect(() => parsePullRequest(text, 'x.json')).toThrow(
      /^x\.json: number: .*; head: expected a commit id; state: /,
    );
    expect(() => parsePullRequest('{', 'x.json')).toThrow('x.json is not JSON');
  });
});

describe('the pull requests of a project', () => {
  it('are read in the order of their numbers, damaged ones named', async () => {
    await withRecords([10, 2, 1], async (ralphDir) => {
      await writeFile(path.join(pullRequestFolder(ralphDir, 2), 'pull-request.json'), '{}');
      await mkdir(path.join(ralphDir, 'pull-requests/.unfinished-1'));
      await mkdir(path.join(ralphDir, 'pull-requests/notes'));
      const { pullRequests, problems } = await readPullRequests(ralphDir);
      expect(pullRequests.map(({ number }) => number)).toEqual([1, 10]);
      expect(problems).toEqual([
        { number: 2, message: expect.stringContaining('taskId') as unknown },
      ]);
    });
  });

  it('refuse a record in the folder of another number', async () => {
    await withRecords([1], async (ralphDir) => {
      const file = path.join(pullRequestFolder(ralphDir, 1), 'pull-request.json');
      await writeFile(file, serializePullRequest(WHOLE));
      const { problems } = await readPullRequests(ralphDir);
      expect(problems).toEqual([{ number: 1, message: `${file}: number is 3` }]);
    });
  });

  it('are none without a folder', async () => {
    await withFolder(async (folder) => {
      expect(await readPullRequests(folder)).toEqual({ pullRequests: [], problems: [] });
    });
  });

  it('are found by number or by task: the open one, or the latest', async () => {
    await withRecords([1, 2, 3], async (ralphDir) => {
      const write = (number: number, changes: Partial<PullRequest>) =>
        writeFile(
          path.join(pullRequestFolder(ralphDir, number), 'pull-request.json'),
          serializePullRequest({ ...WHOLE, number, ...changes }),
        );
      expect((await findPullRequest(ralphDir, 2)).number).toBe(2);
      expect((await findPullRequest(ralphDir, 'TASK-001')).number).toBe(3);
      await write(2, { state: 'open' });
      expect((await findPullRequest(ralphDir, 'TASK-001')).number).toBe(2);
      for (const wanted of [9, 'TASK-404'])
        await expect(findPullRequest(ralphDir, wanted)).rejects.toMatchObject({
          code: 'PULL_REQUEST_MISSING',
        });
    });
  });

  it('have texts, empty when nobody wrote them', async () => {
    await withRecords([1], async (ralphDir) => {
      await writeFile(path.join(pullRequestFolder(ralphDir, 1), 'description.md'), 'What\n');
      expect(await readPullRequestTexts(ralphDir, 1)).toEqual({ description: 'What\n', diff: '' });
    });
  });
});

async function withRecords(
  numbers: number[],
  use: (ralphDir: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (ralphDir) => {
    for (const number of numbers) {
      const folder = pullRequestFolder(ralphDir, number);
      await mkdir(folder, { recursive: true });
      await writeFile(
        path.join(folder, 'pull-request.json'),
        serializePullRequest({ ...WHOLE, number }),
      );
    }
    await use(ralphDir);
  });
}
