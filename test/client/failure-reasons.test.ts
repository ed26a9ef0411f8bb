import { describe, expect, it } from '@jest/globals';
import { withReasons } from '../../client/failure-reasons.ts';
import type { Look } from '../../client/watch-board.ts';
import { aTask, aView } from '../helpers/a-view.ts';
import { withRepository } from '../helpers/with-repository.ts';

const settings = { maxWorkers: 1, autoMerge: false, backend: 'script', environment: {} };

describe('a look at the board', () => {
  it('learns from the files why tasks failed whose workflows are gone', async () => {
    await withRepository(async ({ dir, write }) => {
      await write({
        '.ralph/workers/worker-AB-1-1700000000/failure.md': '# x\n\n> no way\n',
        '.ralph/workers/worker-AB-2-1700000000/failure.md': '# x\n\n> from the file\n',
      });
      const tasks = [
        aTask('AB-1', { marker: '*', state: 'failed' }),
        aTask('AB-2', { marker: '*', state: 'failed', why: 'from the workflow' }),
        aTask('AB-3', { marker: '*', state: 'failed' }),
        aTask('AB-4'),
      ];
      const seen: Look = { kind: 'view', view: aView(tasks), settings };
      const look = withReasons(() => Promise.resolve(seen), `${dir}/.ralph`);
      const found = await look();
      expect(found.kind === 'view' && found.view.tasks.map((task) => task.why)).toEqual([
        'no way',
        'from the workflow',
        '',
        '',
      ]);
    });
  });

  it('passes on what is no view', async () => {
    const silent: Look = { kind: 'unanswered', reason: 'deadline' };
    expect(await withReasons(() => Promise.resolve(silent), '/nowhere')()).toBe(silent);
  });
});
