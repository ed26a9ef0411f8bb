import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseBoard, setMarker } from '../../config/board-file.ts';
import { MARKERS, PRIORITIES } from '../../workflows/domain/board.ts';
import { aBoard } from '../helpers/a-board.ts';

/** A board of one entry whose task line is line 2. */
const entry = (...lines: string[]) => `## TASKS\n- [ ] **[AB-1]** One\n${lines.join('\n')}\n`;
const FIELDS = ['  - Description: D', '  - Priority: LOW', '  - Dependencies: none'];
const messages = (text: string) =>
  parseBoard(text).problems.map(({ line, message }) => `${line}: ${message}`);
const only = (text: string) => parseBoard(text).tasks[0];

describe('the task line', () => {
  it.each(MARKERS)('may bear the marker [%s] (#14)', (marker) => {
    const { tasks, problems } = parseBoard(aBoard().withTask('AB-1', { marker }).text());
    expect(tasks).toMatchObject([{ id: 'AB-1', marker }]);
    expect(problems).toEqual([]);
  });

  it.each(['T', 'X', 'p', 'n', '', '  ', '-'])(
    'is refused with the marker [%s] (#17)',
    (marker) => {
      const text = `## TASKS\n- [${marker}] **[AB-1]** One\n${FIELDS.join('\n')}\n`;
      expect(messages(text)).toEqual([expect.stringMatching(/^2: .*unknown marker/)]);
      expect(parseBoard(text).tasks).toEqual([]);
    },
  );

  it.each([
    '* [ ] **[AB-1]** Star',
    '-[ ] **[AB-1]** No blank',
    '- [ ] [AB-1] Not bold',
    '- [ ] **AB-1** No brackets',
    '- [ ]  **[AB-1]** Two blanks',
    '- [] **AB-1** Nothing at all',
  ])('is reported when it almost is one: %s (#17)', (line) => {
    expect(messages(`## TASKS\n${line}\n`)).toEqual([expect.stringMatching(/^2: .*no task line/)]);
  });

  it.each(['- [a link](https://example.com)', '- [x]: https://example.com', '- plain', 'prose'])(
    'is not seen in ordinary markdown: %s (#17)',
    (line) => {
      expect(parseBoard(`## TASKS\n${line}\n`)).toEqual({ tasks: [], archived: [], problems: [] });
    },
  );

  it('says when a title is missing (#17)', () => {
    const text = `## TASKS\n- [ ] **[AB-1]**\n${FIELDS.join('\n')}\n`;
    expect(messages(text)).toEqual(['2: AB-1 has no title behind its id']);
  });
});

describe('fields', () => {
  it.each(PRIORITIES)('take the priority %s (#14)', (priority) => {
    const text = entry(FIELDS[0] ?? '', `  - Priority: ${priority}`, FIELDS[2] ?? '');
    expect(only(text)?.priority).toBe(priority);
    expect(messages(text)).toEqual([]);
  });

  it.each(['low', 'Medium', 'URGENT', 'HIGH!', ''])(
    'report the priority "%s" and read it as MEDIUM (#17, #27)',
    (priority) => {
      const text = entry(FIELDS[0] ?? '', `  - Priority: ${priority}`, FIELDS[2] ?? '');
      expect(messages(text)).toEqual([expect.stringMatching(/^4: .*read as MEDIUM/)]);
      expect(only(text)?.priority).toBe('MEDIUM');
    },
  );

  it.each([
    ['none', []],
    ['None', []],
    ['', []],
    ['CD-1', ['CD-1']],
    ['CD-1,CD-2', ['CD-1', 'CD-2']],
    [' CD-1 ,  CD-2 ', ['CD-1', 'CD-2']],
    ['CD-1, CD-1', ['CD-1']],
    ['CD-1,', ['CD-1']],
  ])('read the dependencies "%s" (#14)', (list, expected) => {
    const text = `${entry(...FIELDS.slice(0, 2), `  - Dependencies: ${list}`)}<!-- done: CD-1, CD-2 -->\n`;
    expect(only(text)?.dependencies).toEqual(expected);
    expect(messages(text)).toEqual([]);
  });

  it('report a missing Priority and Dependencies with the line of the task (#16)', () => {
    expect(messages(entry('  - Description: D'))).toEqual([
      expect.stringMatching(/^2: AB-1 has no Priority/),
      expect.stringMatching(/^2: AB-1 has no Dependencies/),
    ]);
  });

  it('leave cycles and self-dependencies to the scheduler (#17, #35)', () => {
    const text = aBoard()
      .withTask('AB-1', { dependencies: ['AB-1', 'AB-2'] })
      .withTask('AB-2', { dependencies: ['AB-1'] })
      .text();
    expect(parseBoard(text).problems).toEqual([]);
  });

  it('depend on a task in a done comment without complaint (#17, #21)', () => {
    const board = aBoard().withTask('AB-1', { dependencies: ['CD-1', 'CD-2'] });
    expect(messages(board.with('<!-- done: CD-1 -->').text())).toEqual([
      expect.stringMatching(/^8: AB-1 depends on CD-2, which is not on the board/),
    ]);
  });

  it('pass over what is unknown, which ends a list (#14)', () => {
    const text = entry(...FIELDS, '  - Scope:', '    - One', '  - Agent: x', '    - not an item');
    expect(only(text)).toMatchObject({ scope: ['One'] });
    expect(messages(text)).toEqual([]);
  });
});

describe('lists', () => {
  it.each(['Scope', 'Out of Scope', 'Acceptance Criteria'])(
    'are read under "%s" with and without a colon (#18)',
    (name) => {
      const key = { Scope: 'scope', 'Out of Scope': 'outOfScope' }[name] ?? 'acceptanceCriteria';
      for (const colon of ['', ':'])
        expect(
          only(entry(...FIELDS, `  - ${name}${colon}`, '    - One', '    - Two')),
        ).toMatchObject({
          [key]: ['One', 'Two'],
        });
    },
  );

  it.each(['   ', '     ', '\t', '        '])('report an item behind "%s" (#17)', (indent) => {
    const text = entry(...FIELDS, '  - Scope:', `${indent}- One`);
    expect(messages(text)).toEqual([expect.stringMatching(/^7: .*items stand 4 spaces deep/)]);
    expect(only(text)).toMatchObject({ scope: ['One'] });
  });

  it('hold items that begin like a field (#18)', () => {
    const items = ['Priority: shown in the list', 'Scope', 'Description: a column'];
    const text = entry(...FIELDS, '  - Scope:', ...items.map((item) => `    - ${item}`));
    expect(only(text)).toMatchObject({ scope: items, priority: 'LOW', description: 'D' });
    expect(messages(text)).toEqual([]);
  });
});

describe('comments', () => {
  it('archive ids from several that share a line (#21)', () => {
    const text = aBoard().with('<!-- done: AB-1 --> <!-- done: AB-2 -->').withTask('AB-3').text();
    expect(parseBoard(text)).toMatchObject({ archived: ['AB-1', 'AB-2'], tasks: [{ id: 'AB-3' }] });
  });

  it('archive nothing that is only quoted in another comment (#21)', () => {
    const text = aBoard().with('<!-- write <!-- done: AB-1 -->').withTask('AB-3').text();
    expect(parseBoard(text)).toMatchObject({ archived: [], tasks: [{ id: 'AB-3' }] });
  });

  it('hide what follows when the second on a line stays open (#17)', () => {
    const text = aBoard().with('<!-- a --> <!-- b').withTask('AB-3').with('-->').text();
    expect(parseBoard(text)).toMatchObject({ tasks: [], problems: [] });
  });

  it('report an archived word that is no id (#15)', () => {
    expect(messages('## TASKS\n<!-- done: AB-1, nonsense -->\n')).toEqual([
      '2: "nonsense" in the done comment is no task id',
    ]);
  });
});

describe('a marker set in any text', () => {
  const marked = aBoard().withTask('AB-1').withTask('AB-2', { marker: '=' }).text().split('\n');
  const line = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...marked) },
    fc.constantFrom('```', '~~~', '<!--', '-->', '<!-- done: AB-9 -->', '### Part', '<<<<<<< x'),
    fc.string({ unit: 'binary' }),
  );
  const text = fc
    .tuple(
      fc.constantFrom('', '\uFEFF', '# Board\n', '## TASKS\n'),
      fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 30 }),
      fc.constantFrom('', '- [ ] **[AB-1]** Last'),
    )
    .map(([start, lines, last]) => start + lines.flat().join('') + last);
  const change = fc.tuple(text, fc.constantFrom('AB-1', 'AB-2'), fc.constantFrom(...MARKERS));

  it('changes one character, and nothing in the reading but that marker (#24)', () => {
    fc.assert(
      fc.property(change, ([before, id, marker]) => {
        const after = setMarker(before, id, marker);
        if (after === undefined) return;
        expect(after).toHaveLength(before.length);
        const differing = [...before].filter((character, at) => character !== [...after][at]);
        expect(differing.length).toBeLessThanOrEqual(1);
        const expected = parseBoard(before);
        for (const task of expected.tasks) if (task.id === id) task.marker = marker;
        expect(parseBoard(after)).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is found again and can be set back to the same bytes (#24)', () => {
    fc.assert(
      fc.property(change, ([before, id, marker]) => {
        const was = parseBoard(before).tasks.find((task) => task.id === id)?.marker;
        const after = setMarker(before, id, marker);
        if (after === undefined || was === undefined) return;
        expect(setMarker(after, id, was)).toBe(before);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a large board', () => {
  it('of ten thousand tasks is read in seconds (#17)', () => {
    const ids = [...Array(10_000).keys()].map((n) => `AB-${n}`);
    const board = ids.reduce(
      (text, id) =>
        `${text}${entry(...FIELDS)
          .slice(9)
          .replace('AB-1', id)}`,
      '## TASKS\n',
    );
    const { tasks, problems } = parseBoard(board);
    expect(tasks).toHaveLength(10_000);
    expect(problems).toEqual([]);
  }, 10_000);
});
