import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseBoard, setMarker, whatBlocks } from '../../config/board-file.ts';
import { BOARD_TEMPLATE } from '../../config/board-template.ts';
import { MARKERS, type BoardProblem } from '../../workflows/domain/board.ts';

const FULL = `# Board

## TASKS

- [ ] **[AB-1]** Add a login page
  - Description: A page with two fields
  - Priority: HIGH
  - Complexity: LOW
  - Dependencies: CD-2, EF-3
  - Scope:
    - The form
    - The route
  - Out of Scope:
    - Styling
  - Acceptance Criteria:
    - A user gets in
- [x] **[CD-2]** Prepare
  - Description: Before it
  - Priority: LOW
  - Dependencies: none

<!-- done: EF-3, EF-4 -->
`;

const task = (id: string, lines: string[] = [], marker = ' ') =>
  [
    `- [${marker}] **[${id}]** Title of ${id}`,
    '  - Description: What to do',
    '  - Priority: MEDIUM',
    '  - Dependencies: none',
    ...lines,
  ].join('\n');
const board = (...entries: string[]) => `## TASKS\n${entries.join('\n')}\n`;
const found = (text: string) =>
  parseBoard(text).problems.map(({ line, severity, message }) => ({ line, severity, message }));
const problem = (line: number, severity: BoardProblem['severity'], text: RegExp) => ({
  line,
  severity,
  message: expect.stringMatching(text),
});

describe('parseBoard', () => {
  it('reads every field of a task (#14, #18)', () => {
    expect(parseBoard(FULL)).toEqual({
      tasks: [
        {
          id: 'AB-1',
          title: 'Add a login page',
          marker: ' ',
          priority: 'HIGH',
          dependencies: ['CD-2', 'EF-3'],
          line: 5,
          description: 'A page with two fields',
          complexity: 'LOW',
          scope: ['The form', 'The route'],
          outOfScope: ['Styling'],
          acceptanceCriteria: ['A user gets in'],
        },
        expect.objectContaining({ id: 'CD-2', marker: 'x', line: 17, dependencies: [] }),
      ],
      archived: ['EF-3', 'EF-4'],
      problems: [],
    });
  });

  it.each(['A-1', 'ABCDEFGHIJK-1', 'AB-', 'AB-12345', 'AB1', 'AB_1', '', '../AB-1', 'ÄB-1'])(
    'reports the id "%s" with its line (#15)',
    (id) => {
      const text = board(task('AB-1'), task(id));
      expect(found(text)).toEqual([problem(6, 'error', /is not a task id/)]);
      expect(parseBoard(text).tasks.map((each) => each.id)).toEqual(['AB-1']);
    },
  );

  it.each(['AB-1', 'abcdefghij-9999', 'Xy-0001'])('takes the id %s (#15)', (id) => {
    expect(found(board(task(id)))).toEqual([]);
  });

  it('goes on with defaults where Priority or Dependencies are missing (#16, #27)', () => {
    const text = board('- [ ] **[AB-1]** One', '  - Description: D');
    expect(found(text)).toEqual([
      problem(2, 'notice', /no Priority/),
      problem(2, 'notice', /no Dependencies.*read as none/),
    ]);
    expect(parseBoard(text).tasks).toMatchObject([{ priority: 'MEDIUM', dependencies: [] }]);
  });

  it('reports a missing and an empty description (#16, #17)', () => {
    const text = board(
      '- [ ] **[AB-1]** One\n  - Priority: LOW\n  - Dependencies: none',
      '- [ ] **[AB-2]** Two\n  - Description:\n  - Priority: LOW\n  - Dependencies: none',
    );
    expect(found(text)).toEqual([
      problem(2, 'error', /AB-1 has no Description/),
      problem(6, 'error', /AB-2 has an empty Description/),
    ]);
  });

  it('reports all problems at once, each with its line (#17)', () => {
    const text = [
      '# No heading of tasks',
      task('AB-1'),
      task('AB-1'),
      '- [ ] **[AB-2]** Two',
      '  - Description: D',
      '  - Priority: urgent',
      '  - Dependencies: ZZ-9, nonsense here',
      '   - Scope:',
      '      - too deep',
      '- [?] **[AB-3]** Three',
      '  - Description: D',
      '    - Priority: LOW',
      '  - Dependencies: none',
      '- [ ] No id at all',
      '- **[AB-4]** No checkbox',
      '  - [ ] **[AB-5]** Indented',
    ].join('\n');
    expect(found(text)).toEqual([
      problem(1, 'error', /no heading "## TASKS"/),
      problem(6, 'error', /AB-1 is a duplicate: the first is on line 2/),
      problem(12, 'notice', /Priority "urgent"/),
      problem(13, 'error', /ZZ-9, which is not on the board/),
      problem(13, 'error', /"nonsense here", which is no task id/),
      problem(14, 'error', /Scope at the wrong depth/),
      problem(15, 'error', /list item at the wrong depth/),
      problem(16, 'error', /unknown marker \[\?\]/),
      problem(18, 'error', /Priority at the wrong depth/),
      problem(20, 'error', /no task line/),
      problem(21, 'error', /no task line/),
      problem(22, 'error', /indented/),
    ]);
  });

  it.each([
    ['a tab', '\t- Priority: LOW'],
    ['no indentation', '- Priority: LOW'],
    ['three spaces', '   - Priority: LOW'],
  ])('reports a field behind %s and still reads it (#17)', (_name, line) => {
    const text = board('- [ ] **[AB-1]** A', '  - Description: D', line, '  - Dependencies: none');
    expect(found(text)).toEqual([problem(4, 'error', /Priority at the wrong depth/)]);
    expect(parseBoard(text).tasks[0]?.priority).toBe('LOW');
  });

  it('reports ids that differ only in case (#17)', () => {
    expect(found(board(task('AB-1'), task('ab-1')))).toEqual([
      problem(6, 'error', /ab-1 differs from AB-1 on line 2 only in case/),
    ]);
  });

  it('reports a field that is given twice (#17)', () => {
    expect(found(board(task('AB-1', ['  - Dependencies: AB-1'])))).toEqual([
      problem(6, 'error', /Dependencies twice, first on line 5/),
    ]);
  });

  it.each([
    ['conflict markers', board('<<<<<<< HEAD', task('AB-1'), '=======', '>>>>>>> other'), 2, 3],
    ['a fence that never ends', board('```', task('AB-1')), 2, 1],
    ['a comment that never ends', board('<!-- note', task('AB-1')), 2, 1],
    ['a NUL character', board('a\0b'), 2, 1],
    ['no heading', task('AB-1'), 1, 1],
  ])('blocks a board with %s (#17)', (_name, text, line, count) => {
    const { problems } = parseBoard(text);
    expect(whatBlocks({ problems })).toMatchObject({ line });
    expect(problems.filter((each) => each.blocksBoard)).toHaveLength(count);
  });

  it.each([
    ['a backtick fence', `\`\`\`md\n${task('ZZ-1')}\n\`\`\``],
    ['a tilde fence around backticks', `~~~~\n~~~\n\`\`\`\n${task('ZZ-1')}\n~~~~`],
    ['a comment', `<!-- for later\n${task('ZZ-1')}\n-->`],
    ['an indented comment', `  <!--\n${task('ZZ-1')}\n  -->`],
  ])('takes nothing inside %s for a task (#17)', (_name, quoted) => {
    const { tasks, problems } = parseBoard(board(task('AB-1'), quoted, task('AB-2')));
    expect(tasks.map((each) => each.id)).toEqual(['AB-1', 'AB-2']);
    expect(problems).toEqual([]);
  });

  it.each([
    'quotes "double" and \'single\'',
    'cost $HOME ${x} $(id) `id`',
    'back\\slash \\n',
    'pipes | & ; > <',
    'Ünïcödé 日本語 👩‍👩‍👧 emoji',
    'mentions <!-- and **bold** [AB-9]',
    '```inline``` fences',
  ])('keeps the title "%s" unchanged (#22)', (title) => {
    const text = board(`- [ ] **[AB-1]** ${title}`, `  - Description: ${title}`, task('AB-2'));
    const { tasks } = parseBoard(text);
    expect(tasks).toMatchObject([{ title, description: title }, { id: 'AB-2' }]);
  });

  it('joins wrapped lines of a description and of an item (#14)', () => {
    const text = board(
      '- [ ] **[AB-1]** A\n  - Description: one\n    two\n  - Priority: LOW\n  - Dependencies: none',
      '  - Scope:\n    - first\n      and more\n    - second',
    );
    expect(parseBoard(text).tasks).toMatchObject([
      { description: 'one two', scope: ['first and more', 'second'] },
    ]);
    expect(found(text)).toEqual([]);
  });

  it('reads on below sub-headings, unknown fields and blank lines (#14)', () => {
    const text = board(
      '### Later',
      task('AB-1', ['', '  - Owner: me', '  - Scope', '    - One']),
      '',
      '## More',
      task('AB-2'),
    );
    expect(parseBoard(text)).toMatchObject({
      tasks: [{ id: 'AB-1', scope: ['One'] }, { id: 'AB-2' }],
      problems: [],
    });
  });

  it('says that a task above the heading is not read (#17)', () => {
    const { tasks, problems } = parseBoard(`${task('AB-1')}\n${board(task('AB-2'))}`);
    expect(tasks.map((each) => each.id)).toEqual(['AB-2']);
    expect(problems).toMatchObject([{ line: 1, severity: 'notice' }]);
  });

  it('reads the same from CRLF and a byte order mark (#14)', () => {
    expect(parseBoard(`\uFEFF${FULL.replaceAll('\n', '\r\n')}`)).toEqual(parseBoard(FULL));
  });

  it('reads ids from all done comments, also over several lines (#21)', () => {
    const text = board('<!-- done: AB-1,\n AB-2 -->', '<!-- done: AB-3 -->', '<!-- other -->');
    expect(parseBoard(text)).toMatchObject({ archived: ['AB-1', 'AB-2', 'AB-3'], problems: [] });
  });

  it('never throws, whatever the text is (#17)', () => {
    const piece = fc.constantFrom(
      '- [ ] **[AB-1]** x',
      '  - Scope',
      '```',
      '<!--',
      '## TASKS',
      '\r',
    );
    const text = fc
      .array(fc.oneof(piece, fc.string({ unit: 'binary' })))
      .map((all) => all.join('\n'));
    fc.assert(fc.property(text, (any) => parseBoard(any).problems.every(({ line }) => line > 0)));
  });

  it('reads the board that init writes, with nothing to run (#1)', () => {
    expect(parseBoard(BOARD_TEMPLATE)).toMatchObject({ tasks: [{ marker: 'N' }], problems: [] });
    const [example] = parseBoard(BOARD_TEMPLATE).tasks;
    expect(example).toMatchObject({ complexity: 'LOW', description: expect.stringMatching(/./) });
    expect(example?.scope.length).toBeGreaterThan(0);
    expect(example?.outOfScope.length).toBeGreaterThan(0);
    expect(example?.acceptanceCriteria.length).toBeGreaterThan(0);
  });
});

describe('setMarker', () => {
  it('changes one character and reads back as the marker (#24)', () => {
    const ending = fc.constantFrom('\n', '\r\n');
    const noise = fc.constantFrom(
      '',
      'text',
      '### Part',
      '<!-- - [ ] **[AB-1]** no -->',
      '\t',
      '🙂',
    );
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 9999 }), { minLength: 1, maxLength: 8 });
    const world = fc.record({
      ids,
      ending,
      noise: fc.array(noise, { minLength: 8, maxLength: 8 }),
      from: fc.constantFrom(...MARKERS),
      to: fc.constantFrom(...MARKERS),
      start: fc.constantFrom('', '\uFEFF', '# Board\n'),
      last: fc.boolean(),
    });
    fc.assert(
      fc.property(world, ({ ids, ending, noise, from, to, start, last }) => {
        const lines = ids.flatMap((n, index) => [task(`AB-${n}`, [], from), noise[index] ?? '']);
        const text =
          start + ['## TASKS', ...lines].join('\n').replaceAll('\n', ending) + (last ? ending : '');
        const id = `AB-${ids.at(-1)}`;
        const written = setMarker(text, id, to) ?? '';
        expect(written).toHaveLength(text.length);
        const changed = [...Array(text.length).keys()].filter((at) => text[at] !== written[at]);
        expect(changed).toHaveLength(from === to ? 0 : 1);
        const markers = parseBoard(written).tasks.map((each) => [each.id, each.marker]);
        expect(markers).toEqual(ids.map((n) => [`AB-${n}`, `AB-${n}` === id ? to : from]));
      }),
    );
  });

  it.each([
    ['the id is not there', board(task('AB-2'))],
    ['the id is there twice', board(task('AB-1'), task('AB-1'))],
    ['the id is only quoted', board('```', task('AB-1'), '```')],
    ['the id only begins like it', board(task('AB-11'))],
    ['the marker is none of ours', board(task('AB-1', [], '?'))],
    ['the heading is missing', task('AB-1')],
  ])('refuses when %s (#24)', (_name, text) => {
    expect(setMarker(text, 'AB-1', 'x')).toBeUndefined();
  });
});
