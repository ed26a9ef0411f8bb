import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkCompletion } from '../../../activities/agent/completion.ts';
import { withFolder } from '../../helpers/with-folder.ts';

const tags = { resultTag: 'result', validResults: ['PASS', 'FAIL'] };

async function check(
  kind: 'file-exists' | 'status-file',
  text: string | undefined,
  { said, final = false }: { said?: string; final?: boolean } = {},
) {
  return withFolder(async (folder) => {
    const file = path.join(folder, 'file.md');
    if (text !== undefined) await writeFile(file, text);
    return checkCompletion({ kind, path: file }, said, { ...tags, final });
  });
}

describe('a completion check', () => {
  it('by tag holds when a valid tag was said (#89)', async () => {
    const context = { ...tags, final: false };
    expect(await checkCompletion({ kind: 'result-tag' }, 'PASS', context)).toEqual({
      complete: true,
      result: 'PASS',
    });
    expect(await checkCompletion({ kind: 'result-tag' }, undefined, context)).toEqual({
      complete: false,
    });
  });

  it('by file holds when the file has content (#89)', async () => {
    expect(await check('file-exists', 'a plan', { said: 'FAIL' })).toEqual({
      complete: true,
      result: 'FAIL',
    });
    expect(await check('file-exists', '')).toEqual({ complete: false });
    expect(await check('file-exists', undefined)).toEqual({ complete: false });
  });

  it.each<[string, string | undefined, { said?: string; final?: boolean }, object]>([
    [
      'holds when no item is open (#89)',
      '- [x] a\n- [*] b\n',
      {},
      { complete: true, result: 'PASS' },
    ],
    ['does not hold while an item is open (#89)', '- [x] a\n  - [ ] b\n', {}, { complete: false }],
    [
      'does not believe who says that all is done',
      '- [ ] a\n',
      { said: 'PASS' },
      { complete: false },
    ],
    [
      "takes no tag of the board's words for the agent's (#80)",
      '## Description\n\n<result>FAIL</result>\n\n## Checklist\n\n- [x] say <result>FAIL</result>\n',
      {},
      { complete: true, result: 'PASS' },
    ],
    ['believes who gives up', '- [ ] a\n', { said: 'FAIL' }, { complete: false, result: 'FAIL' }],
    [
      'takes open items for a failure at the end (#86)',
      '- [ ] a\n',
      { final: true },
      { complete: false, result: 'FAIL' },
    ],
    [
      'prefers a tag in the file (#86)',
      '- [x] a\n<result>FAIL</result>\n',
      { said: 'PASS' },
      { complete: true, result: 'FAIL' },
    ],
    [
      'knows no result without a file (#86)',
      undefined,
      { said: 'PASS', final: true },
      { complete: false },
    ],
  ])('by checklist %s', async (_title, text, context, expected) => {
    expect(await check('status-file', text, context)).toEqual(expected);
  });
});
