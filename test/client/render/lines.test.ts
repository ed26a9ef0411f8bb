import { describe, expect, it } from '@jest/globals';
import type { BoardReport } from '../../../client/board-report.ts';
import { counted, dollars, duration } from '../../../client/render/amounts.ts';
import { checkupLines } from '../../../client/render/checkup.ts';
import { pullRequestLines, pullRequestText } from '../../../client/render/pull-request.ts';
import { clip, redraw } from '../../../client/render/redraw.ts';
import { headLines } from '../../../client/render/report.ts';
import type { PullRequest } from '../../../workflows/domain/pull-request.ts';
import { aTask, aView } from '../../helpers/a-view.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');

describe('amounts', () => {
  it.each([
    [-5, '0s'],
    [999, '0s'],
    [59_999, '59s'],
    [60_000, '1m 00s'],
    [185_000, '3m 05s'],
    [7_800_000, '2h 10m'],
    [90_000_000, '1d 01h'],
  ])('shows %d ms as %s', (milliseconds, text) => {
    expect(duration(milliseconds)).toBe(text);
  });

  it('shows money and counts', () => {
    expect([dollars(1.125), counted(1, 'task'), counted(0, 'task')]).toEqual([
      '$1.13',
      '1 task',
      '0 tasks',
    ]);
  });
});

describe('redrawing', () => {
  it('goes up over the lines drawn last and clears below', () => {
    expect(redraw(2, ['a', 'b', 'c'])).toBe('\u001b[2A\r\u001b[0Ja\nb\nc\n');
    expect(redraw(0, ['a'])).toBe('\u001b[0Ja\n');
  });

  it('keeps a drawing inside the screen and says what is missing', () => {
    expect(clip(['a', 'b', 'c', 'd'], 4)).toEqual(['a', 'b', '… and 2 more lines']);
    expect(clip(['a', 'b', 'c'], 4)).toEqual(['a', 'b', 'c']);
  });
});

describe('what stands above the table', () => {
  const report: BoardReport = {
    project: 'shop-0123abcd',
    host: null,
    server: null,
    source: 'files',
    notices: [],
    view: aView([]),
  };
  const host = { pid: 42, purpose: 'run', since: '2026-01-02T03:00:00Z' };

  it.each<[string, Partial<BoardReport>, string[]]>([
    ['that nobody works', {}, ['shop-0123abcd: nobody works on the board; `wiggum run` starts']],
    [
      'that tasks are paused',
      { view: aView([aTask('AB-1', { state: 'paused' })]) },
      ['shop-0123abcd: nobody works on the board; `wiggum run` goes on'],
    ],
    [
      'the process that works, and where its pages are',
      {
        host,
        server: { address: '127.0.0.1:7233', uiUrl: 'http://127.0.0.1:8233' },
        view: aView([], { sweeping: true }),
      },
      [
        'shop-0123abcd: the board is being worked off (process 42, for 4m 05s)',
        'Temporal at 127.0.0.1:7233, pages http://127.0.0.1:8233',
      ],
    ],
    [
      'a host for one task',
      { host: { ...host, purpose: 'worker start AB-1' } },
      ['shop-0123abcd: `wiggum worker start AB-1` is at work (process 42, for 4m 05s)'],
    ],
    [
      'why the server did not answer',
      { notices: ['the embedded server is not running'] },
      [
        'shop-0123abcd: nobody works on the board; `wiggum run` starts',
        'note: the embedded server is not running',
      ],
    ],
  ])('says %s', (_title, differences, expected) => {
    expect(headLines({ ...report, ...differences }, NOW)).toEqual(expected);
  });
});

describe('pull requests', () => {
  const pullRequest: PullRequest = {
    number: 3,
    taskId: 'AB-1',
    epoch: 1,
    title: 'AB-1: Say\u001b hello',
    branch: 'task/AB-1-1',
    target: 'main',
    head: 'a'.repeat(40),
    base: 'b'.repeat(40),
    state: 'open',
    url: 'file:///x',
  };

  it('stand in one line each', () => {
    expect(
      pullRequestLines([pullRequest, { ...pullRequest, number: 12, state: 'merged' }]),
    ).toEqual([
      '#3   AB-1  open    task/AB-1-1 → main  AB-1: Say\\u{1b} hello',
      '#12  AB-1  merged  task/AB-1-1 → main  AB-1: Say\\u{1b} hello',
    ]);
  });

  it('are shown with description, changes and the next step', () => {
    const texts = { description: 'What\u001b[2J it does\n', diff: '+new\tline\n-old\n' };
    expect(pullRequestText(pullRequest, texts, { colour: false })).toBe(
      [
        '#3 AB-1: Say\\u{1b} hello',
        'task/AB-1-1 (aaaaaaaaaa) → main',
        'merge it: wiggum pr merge AB-1',
        '',
        'What\\u{1b}[2J it does',
        '',
        '+new\tline',
        '-old',
        '',
      ].join('\n'),
    );
  });

  it('have coloured changes on a terminal', () => {
    const text = pullRequestText(
      pullRequest,
      { description: '', diff: '+a\n-b' },
      { colour: true },
    );
    expect(text).toContain('\u001b[32m+a\u001b[0m\n\u001b[31m-b\u001b[0m');
  });
});

describe('a check-up', () => {
  const checks = [
    { name: 'Node', level: 'pass' as const, found: '22.1.0' },
    { name: 'disk', level: 'fail' as const, found: '12 MB free', advice: 'Free some space.' },
    { name: 'claude', level: 'warn' as const, found: 'missing', advice: 'Install it.' },
  ];

  it('has one line per check, its advice, and the counts (#3)', () => {
    expect(checkupLines(checks, { colour: false, quiet: false })).toEqual([
      'PASS  Node    22.1.0',
      'FAIL  disk    12 MB free',
      '              → Free some space.',
      'WARN  claude  missing',
      '              → Install it.',
      '',
      '1 passed, 1 warning, 1 failure',
    ]);
  });

  it('leaves only failures when quiet (#3)', () => {
    expect(checkupLines(checks, { colour: false, quiet: true })).toEqual([
      'FAIL  disk  12 MB free',
      '            → Free some space.',
    ]);
  });
});
