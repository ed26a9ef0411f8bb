import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseBoard } from '../../config/board-file.ts';
import { collapseDone, sortBoard } from '../../config/board-rewrite.ts';
import { MARKERS, type Marker, type Task } from '../../workflows/domain/board.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { aBoard } from '../helpers/a-board.ts';

/** The lines of one task, as `aBoard` writes them. */
const lines = (id: string, marker: Marker = ' ', more: string[] = []) =>
  aBoard().withTask(id, { marker, more }).text().trimEnd().split('\n').slice(4);
const board = (...parts: string[]) => `## TASKS\n${parts.join('\n')}\n`;
const INVALID = board(...lines('AB-1'), ...lines('AB-1'), '- [?] **[AB-2]** Two');

describe('sortBoard', () => {
  it('groups by status and orders by id, in the bytes of the entries (#23)', () => {
    const text = board(
      '### Mine',
      ...lines('CD-2'),
      ...lines('NN-1', 'N'),
      ...lines('AB-9', '='),
      ...lines('PP-1', 'P'),
      '',
      ...lines('FF-1', '*'),
      ...lines('XX-2', 'x'),
      ...lines('AB-10', ' ', ['  - Scope:', '    - One', '']),
      ...lines('XX-10', 'x'),
    );
    expect(sortBoard(text)).toBe(
      [
        '## TASKS',
        ['### Completed'],
        lines('XX-10', 'x'),
        lines('XX-2', 'x'),
        ['### Failed'],
        lines('FF-1', '*'),
        ['### Pending Approval'],
        lines('PP-1', 'P'),
        ['### Pending'],
        lines('AB-10', ' ', ['  - Scope:', '    - One']),
        lines('AB-9', '='),
        lines('CD-2'),
        ['### Not Planned'],
        lines('NN-1', 'N'),
      ]
        .map((chunk) => (typeof chunk === 'string' ? chunk : chunk.join('\n')))
        .join('\n\n') + '\n',
    );
  });

  it('refuses an invalid board and names every line (#23)', () => {
    expect(() => sortBoard(INVALID)).toThrow(WiggumError);
    expect(() => sortBoard(INVALID)).toThrow(
      /line 6: AB-1 is a duplicate.*\n.*line 10: AB-2 has the unknown marker/s,
    );
  });

  it('leaves a board without tasks alone (#23)', () => {
    expect(sortBoard('## TASKS\n\ntext')).toBe('## TASKS\n\ntext');
  });

  it('drops headings that were only there for tasks, keeps prose below them (#23)', () => {
    const text = board('## Later', '### Soon', ...lines('AB-1'), '## Notes', '### Why', 'Because.');
    expect(sortBoard(text)).toBe(
      board('', '### Pending', '', ...lines('AB-1'), '', '## Notes', '', '### Why', 'Because.'),
    );
  });

  it('keeps mixed line endings and a missing last one (#23)', () => {
    const windows = lines('AB-2').join('\r\n');
    const text = `## TASKS\n${windows}\r\n${lines('AB-1').join('\n')}`;
    const sorted = sortBoard(text);
    expect(sorted).toBe(`## TASKS\n\n### Pending\n\n${lines('AB-1').join('\n')}\n\n${windows}`);
  });
});

describe('collapseDone', () => {
  it('moves finished tasks into one comment under the heading (#21)', () => {
    const text = board(
      '<!-- done: ZZ-1 -->',
      ...lines('AB-1', 'x'),
      ...lines('AB-2'),
      '<!-- done: ZZ-2, ZZ-1 -->',
      ...lines('AB-3', 'x'),
    );
    expect(collapseDone(text)).toEqual({
      text: board('<!-- done: ZZ-1, ZZ-2, AB-1, AB-3 -->', ...lines('AB-2')),
      collapsed: ['AB-1', 'AB-3'],
    });
  });

  it('leaves a board without finished tasks alone (#21)', () => {
    const text = board('<!-- done: ZZ-1 -->', ...lines('AB-2'), '<!-- done: ZZ-2 -->');
    expect(collapseDone(text)).toEqual({ text, collapsed: [] });
  });

  it('removes headings left empty, keeps one whose child has tasks (#21)', () => {
    const text = board(
      '## Empty soon',
      ...lines('AB-1', 'x'),
      '## Parent',
      '### Gone',
      ...lines('AB-2', 'x'),
      '### Child',
      ...lines('AB-3'),
      '## Notes',
      'Text stays.',
    );
    expect(collapseDone(text).text).toBe(
      board(
        '<!-- done: AB-1, AB-2 -->',
        '## Parent',
        '### Child',
        ...lines('AB-3'),
        '## Notes',
        'Text stays.',
      ),
    );
  });

  it('keeps text that shares a line with a done comment (#21)', () => {
    const text = board('<!-- done: ZZ-1 --> <!-- who: me -->', ...lines('AB-1', 'x'));
    expect(collapseDone(text).text).toBe(
      board('<!-- done: ZZ-1, AB-1 -->', '<!-- done: ZZ-1 --> <!-- who: me -->'),
    );
  });

  it('refuses an invalid board (#21)', () => {
    expect(() => collapseDone(INVALID)).toThrow(WiggumError);
  });

  it('leaves dependencies on what it moved satisfied (#21)', () => {
    const text = aBoard()
      .withTask('AB-1', { marker: 'x' })
      .withTask('AB-2', { dependencies: ['AB-1'] })
      .text();
    const after = parseBoard(collapseDone(text).text);
    expect(after).toMatchObject({ archived: ['AB-1'], tasks: [{ id: 'AB-2' }], problems: [] });
  });
});

describe('any valid board', () => {
  const piece = fc.constantFrom(
    [''],
    ['### Part'],
    ['## Section', 'Prose below a heading'],
    ['# Top'],
    ['loose text'],
    ['<!-- a note', '  over lines -->'],
    ['<!-- done: ZZ-1, ZZ-2 -->'],
    ['```md', '- [ ] **[QQ-1]** quoted', '```'],
  );
  const task = (id: string) =>
    fc
      .tuple(
        fc.constantFrom(...MARKERS),
        fc.constantFrom<string[][]>(
          [],
          ['  - Scope:', '    - One', ''],
          ['', '  ```', '  code', '  ```'],
        ),
      )
      .map(([marker, more]) => lines(id, marker, more));
  const ids = fc.uniqueArray(
    fc.integer({ min: 1, max: 99 }).map((n) => `AB-${n}`),
    { maxLength: 6 },
  );
  const world = ids
    .chain((chosen) => fc.tuple(fc.tuple(...chosen.map(task)), fc.array(piece, { maxLength: 8 })))
    .chain(([tasks, pieces]) =>
      fc.tuple(
        fc.shuffledSubarray([...tasks, ...pieces], { minLength: tasks.length + pieces.length }),
        fc.constantFrom('\n', '\r\n'),
        fc.constantFrom('', '\uFEFF', '# Kanban\n\n'),
        fc.boolean(),
      ),
    )
    .map(
      ([parts, ending, start, last]) =>
        start + ['## TASKS', ...parts.flat()].join(ending) + (last ? ending : ''),
    );
  const check = (property: (text: string) => void) =>
    fc.assert(fc.property(world, property), { numRuns: 400 });
  const byId = (text: string): Omit<Task, 'line'>[] =>
    parseBoard(text)
      .tasks.map(({ line: _line, ...task }) => task)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  /** Every line that says something, headings apart. */
  const content = (text: string) =>
    text
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '' && !line.startsWith('#'))
      .sort();

  it('loses no task and no line when it is sorted (#23)', () => {
    check((text) => {
      const sorted = sortBoard(text);
      expect(byId(sorted)).toEqual(byId(text));
      expect(content(sorted)).toEqual(content(text));
      expect(parseBoard(sorted).problems).toEqual([]);
      expect(parseBoard(sorted).archived.sort()).toEqual(parseBoard(text).archived.sort());
    });
  });

  it('stays as it is when it is sorted again (#23)', () => {
    check((text) => expect(sortBoard(sortBoard(text))).toBe(sortBoard(text)));
  });

  it('keeps every unfinished task when it is collapsed, and knows the others (#21)', () => {
    check((text) => {
      const { text: after, collapsed } = collapseDone(text);
      expect(byId(after)).toEqual(byId(text).filter((each) => each.marker !== 'x'));
      const done = byId(text).filter((each) => each.marker === 'x');
      expect([...collapsed].sort()).toEqual(done.map((each) => each.id));
      const { archived, problems } = parseBoard(after);
      expect(new Set(archived)).toEqual(new Set([...parseBoard(text).archived, ...collapsed]));
      expect(problems).toEqual([]);
      if (collapsed.length > 0) expect(after.match(/<!-- done:/g)).toHaveLength(1);
    });
  });

  it('stays as it is when it is collapsed again (#21)', () => {
    check((text) => {
      const once = collapseDone(text).text;
      expect(collapseDone(once)).toEqual({ text: once, collapsed: [] });
    });
  });
});
