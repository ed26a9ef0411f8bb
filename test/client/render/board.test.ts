import { describe, expect, it } from '@jest/globals';
import type { TaskView } from '../../../client/board-view.ts';
import {
  boardLines,
  mostTelling,
  plainTaskLine,
  problemLines,
  summaryLine,
  wayOnLines,
} from '../../../client/render/board.ts';
import { widthOf } from '../../../client/render/text.ts';
import { aTask, aView } from '../../helpers/a-view.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const plain = { now: NOW, columns: 200, colour: false };
const running: Partial<TaskView> = {
  marker: '=',
  state: 'running',
  open: true,
  step: 'execution',
  iteration: 2,
  startedAt: '2026-01-02T03:01:00Z',
  costUsd: 1.123,
  why: 'execution · iteration 3 of 20 · 41 turns · $1.12',
};

describe('a line of the board', () => {
  it.each<[string, TaskView, string]>([
    [
      'a pending task and its reason',
      aTask('AB-1', { why: 'waits for AB-2' }),
      '[ ] AB-1 pending  waits for AB-2 · Title of AB-1',
    ],
    [
      'step, round, time, cost and turns of a running task',
      aTask('AB-1', running),
      '[=] AB-1 running execution 3/20 3m 05s $1.12  41 turns · $1.12 · Title of AB-1',
    ],
    [
      'a task that waits for a person',
      aTask('AB-1', { marker: 'P', state: 'needs-you', why: 'pull request 3 waits' }),
      '[P] AB-1 needs you  pull request 3 waits · Title of AB-1',
    ],
    [
      'the reason of a failure',
      aTask('AB-1', { marker: '*', state: 'failed', why: 'aborted by me' }),
      '[*] AB-1 failed  aborted by me · Title of AB-1',
    ],
    [
      'a done task with its cost',
      aTask('AB-1', { marker: 'x', state: 'done', costUsd: 0.5 }),
      '[x] AB-1 done $0.50  Title of AB-1',
    ],
    [
      'a paused task',
      aTask('AB-1', { marker: '=', state: 'paused', step: 'audit', why: 'nobody works on it' }),
      '[=] AB-1 paused audit  nobody works on it · Title of AB-1',
    ],
  ])('shows %s', (_title, task, expected) => {
    expect(boardLines(aView([task]), plain)).toEqual([expected]);
  });

  it('aligns the columns of all tasks', () => {
    const lines = boardLines(
      aView([aTask('AB-1', running), aTask('LONGER-1000', { why: 'waits' })]),
      plain,
    );
    expect(lines).toEqual([
      '[=] AB-1        running execution 3/20 3m 05s $1.12  41 turns · $1.12 · Title of AB-1',
      '[ ] LONGER-1000 pending                              waits · Title of LONGER-1000',
    ]);
  });

  it.each([20, 40, 79])('never gets wider than %d columns', (columns) => {
    const wide = aTask('AB-1', { ...running, title: '漢字'.repeat(60) });
    for (const line of boardLines(aView([wide]), { ...plain, columns }))
      expect(widthOf(line)).toBeLessThanOrEqual(columns);
  });

  it.each<[TaskView['state'], number]>([
    ['running', 36],
    ['done', 32],
    ['failed', 31],
    ['needs-you', 33],
    ['pending', 90],
  ])('is coloured for the state %s', (state, code) => {
    const [line] = boardLines(aView([aTask('AB-1', { state })]), { ...plain, colour: true });
    expect(line).toMatch(new RegExp(`^\\u001b\\[${code}m.*\\u001b\\[0m$`));
  });

  it('makes control characters of titles and reasons visible', () => {
    const task = aTask('AB-1', { title: 'a\u001b[2Jb', why: 'x\u202ey' });
    expect(boardLines(aView([task]), plain)[0]).toContain('x\\u{202e}y · a\\u{1b}[2Jb');
    expect(plainTaskLine(task, NOW)).toContain('x\\u{202e}y');
  });
});

it('shows a task without columns for pipes and logs', () => {
  expect(plainTaskLine(aTask('AB-1', running), NOW)).toBe(
    '[=] AB-1 running · execution 3/20 · 3m 05s · $1.12 · 41 turns · $1.12',
  );
  expect(plainTaskLine(aTask('AB-1'), NOW)).toBe('[ ] AB-1 pending');
});

describe('the summary', () => {
  it.each<[string, TaskView['state'][], string]>([
    ['an empty board', [], '0 tasks: nothing to do'],
    ['one task that waits for a person', ['needs-you'], '1 task: 1 waits for you'],
    [
      'each state that occurs',
      ['done', 'done', 'failed', 'pending', 'paused'],
      '5 tasks: 2 done, 1 failed, 1 paused, 1 pending',
    ],
    ['a board where nothing is planned', ['not-planned'], '1 task: nothing to do'],
  ])('counts %s', (_title, states, expected) => {
    const tasks = states.map((state, index) => aTask(`AB-${index}`, { state }));
    expect(summaryLine(aView(tasks))).toBe(expected);
  });

  it('adds up the money', () => {
    const tasks = [aTask('AB-1', { costUsd: 1.2 }), aTask('AB-2', { costUsd: 0.3 })];
    expect(summaryLine(aView(tasks))).toBe('2 tasks: 2 pending · $1.50');
  });
});

it('lists problems with their lines, and cycles with their members', () => {
  const problems = [
    { line: 7, message: 'AB-1 has no\u0007 Priority', severity: 'notice' as const },
  ];
  expect(problemLines({ problems, cycles: [['AB-1', 'AB-2'], ['AB-3']] })).toEqual([
    'kanban.md:7: AB-1 has no\\u{7} Priority',
    'circular dependencies: AB-1 → AB-2',
    'circular dependencies: AB-3 depends on itself',
  ]);
});

it('tells places in the folder of a task run without the way to it', () => {
  const why = 'execution · tries again (attempt 7): /far/away/w/leases/lease.json is spoilt';
  const task = aTask('AB-1', { ...running, why, workerDir: '/far/away/w' });
  expect(plainTaskLine(task, NOW)).toContain('· tries again (attempt 7): leases/lease.json is');
});

describe('the way on', () => {
  it('names a command for a task that waits and for one that failed', () => {
    const lines = wayOnLines(
      aView([
        aTask('AB-1', { state: 'needs-you', pullRequest: 1 }),
        aTask('AB-2', { state: 'failed' }),
      ]),
    );
    expect(lines.join()).toMatch(/wiggum pr merge AB-1.*wiggum worker restart AB-2/s);
  });

  it('names up to three tasks, and how many more there are', () => {
    const failed = (count: number) =>
      Array.from({ length: count }, (_, at) => aTask(`AB-${at + 1}`, { state: 'failed' }));
    const waiting = (count: number) =>
      failed(count).map((task) => ({ ...task, state: 'needs-you' as const, pullRequest: 7 }));
    expect(wayOnLines(aView(failed(3)))[0]).toBe('  failed: AB-1, AB-2, AB-3');
    expect(wayOnLines(aView(failed(5)))[0]).toBe('  failed: AB-1, AB-2, AB-3 and 2 more');
    expect(wayOnLines(aView(waiting(4)))).toEqual([
      '  to merge: AB-1, AB-2, AB-3 and 1 more',
      '    `wiggum pr view AB-1`, then `wiggum pr merge AB-1`',
    ]);
  });

  it('is silent when everything is done', () => {
    expect(wayOnLines(aView([aTask('AB-1', { state: 'done' })]))).toEqual([]);
  });
});

describe('a board that does not fit', () => {
  const tasks = [
    aTask('AB-1', { state: 'done' }),
    aTask('AB-2', { state: 'pending' }),
    aTask('AB-3', { state: 'running' }),
    aTask('AB-4', { state: 'needs-you' }),
  ];

  it.each([
    [4, ['AB-1', 'AB-2', 'AB-3', 'AB-4']],
    [3, ['AB-2', 'AB-3', 'AB-4']],
    [1, ['AB-3']],
    [0, []],
    [-5, []],
  ])('keeps the most telling %d tasks in the order of the board', (room, ids) => {
    expect(mostTelling(tasks, room).map((task) => task.id)).toEqual(ids);
  });
});
