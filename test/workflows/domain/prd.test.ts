import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Task } from '../../../workflows/domain/board.ts';
import { failedItems, openItems, renderPrd } from '../../../workflows/domain/prd.ts';

describe('renderPrd', () => {
  it('holds everything the board says, and one item per scope plus a last one (#18)', () => {
    const prd = renderPrd(
      aTask({
        description: 'Build a thing',
        priority: 'HIGH',
        complexity: 'LOW',
        dependencies: ['TASK-002', 'TASK-003'],
        scope: ['First part', '[ ] Second part'],
        outOfScope: ['Not this'],
        acceptanceCriteria: ['[x] It works'],
      }),
    );
    expect(prd).toBe(
      [
        '# Task: TASK-001 - Do it',
        '',
        '## Description',
        '',
        'Build a thing',
        '',
        '## Priority',
        '',
        'HIGH',
        '',
        '## Complexity',
        '',
        'LOW',
        '',
        '## Dependencies',
        '',
        'TASK-002, TASK-003',
        '',
        '## Scope',
        '',
        '- First part',
        '- Second part',
        '',
        '## Out of Scope',
        '',
        '- Not this',
        '',
        '## Acceptance Criteria',
        '',
        '- It works',
        '',
        '## Checklist',
        '',
        '- [ ] First part',
        '- [ ] Second part',
        '- [ ] Mark this document complete once everything above is done',
        '',
      ].join('\n'),
    );
  });

  it('gives a task without scope items to work through', () => {
    const prd = renderPrd(aTask({}));
    expect(prd).not.toContain('## Scope');
    expect(openItems(prd)).toEqual([
      'Complete the task as described',
      'Test the result',
      'Mark this document complete once everything above is done',
    ]);
  });

  it.each([
    ['quotes', `it's "so"`],
    ['shell', '$HOME $(id) `id` \\n \\\\ !! #1 %s'],
    ['markdown', '**bold** [link](x) <b> | table'],
    ['unicode', 'naïve 日本語 é 🦆 👩‍💻'],
  ])('carries a title with %s unchanged (#22)', (_what, title) => {
    expect(renderPrd(aTask({ title })).split('\n')[0]).toBe(`# Task: TASK-001 - ${title}`);
  });

  it('has exactly the items of its checklist open, whatever the texts say (#18)', () => {
    const line = fc.oneof(
      fc.string().map((text) => text.replace(/[\r\n\u2028\u2029]/g, '').trim()),
      fc.constantFrom('[ ] x', '[ ] [ ] x', '[*] x', '[ ]', '- [ ] x', '* [*] x', '[x] [ ] x'),
    );
    const items = fc.array(
      line.filter((text) => text !== ''),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(line, line, items, items, items, (title, description, scope, out, criteria) => {
        const prd = renderPrd(
          aTask({ title, description, scope, outOfScope: out, acceptanceCriteria: criteria }),
        );
        expect(openItems(prd)).toHaveLength((scope.length || 2) + 1);
        expect(failedItems(prd)).toEqual([]);
      }),
    );
  });
});

describe('items of a document', () => {
  it.each([
    ['- [ ] one\n- [x] two\n- [X] three\n', ['one'], []],
    ['* [ ] one\n+ [ ] two\n    - [ ] deep\n', ['one', 'two', 'deep'], []],
    ['- [*] given up\n- [ ] open\n', ['open'], ['given up']],
    ['- [ ] with crlf\r\n- [*] too\r\n', ['with crlf'], ['too']],
    ['- [ ]\n', [''], []],
    ['text about - [ ] boxes\n> - [ ] quoted\n', [], []],
    ['', [], []],
  ])('are found in %j', (prd, open, failed) => {
    expect(openItems(prd)).toEqual(open);
    expect(failedItems(prd)).toEqual(failed);
  });
});

function aTask(changes: Partial<Task>): Task {
  return {
    id: 'TASK-001',
    title: 'Do it',
    marker: ' ',
    priority: 'MEDIUM',
    dependencies: [],
    line: 3,
    description: '',
    scope: [],
    outOfScope: [],
    acceptanceCriteria: [],
    ...changes,
  };
}
