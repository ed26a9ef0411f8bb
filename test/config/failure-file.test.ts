import { describe, expect, it } from '@jest/globals';
import { parseFailure, renderFailure } from '../../config/failure-file.ts';

const place = {
  projectDir: '/p',
  ralphDir: '/p/.ralph',
  workerDir: '/p/.ralph/workers/worker-AB-1-1700000000',
  workspace: '/p/.ralph/workers/worker-AB-1-1700000000/workspace',
  taskId: 'AB-1',
  epoch: 1_700_000_000,
};

describe('failure.md', () => {
  it.each([
    ['one line', 'test ended with FAIL'],
    ['several lines', 'test ended with FAIL\nsecond line'],
    ['an empty line inside', 'first\n\nthird'],
    ['indentation and quotes inside', 'git said:\n  > fatal: no\n\t>> why'],
    ['what looks like markdown', '# a title\n- a list\n```\ncode'],
  ])('gives back a reason with %s (#120)', (_title, reason) => {
    const text = renderFailure({ place, branch: 'task/AB-1', title: 'T', reason, steps: [] });
    expect(parseFailure(text)).toBe(reason);
  });

  it.each([
    ['nothing', ''],
    ['no quoted paragraph', '# AB-1 failed\n\nbecause\n'],
    ['an empty reason', '# AB-1 failed\n\n> \n>\n'],
  ])('tells no reason from a text with %s', (_title, text) => {
    expect(parseFailure(text)).toBeUndefined();
  });

  it('reads a reason up to the end of a text that was cut off', () => {
    expect(parseFailure('# x\n\n> one\n> two')).toBe('one\ntwo');
  });
});
