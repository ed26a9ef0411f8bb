import { describe, expect, it } from '@jest/globals';
import { MARKERS, type Card, type Marker, type Priority } from '../../../workflows/domain/board.ts';
import {
  invalidTasks,
  schedule,
  type RankedTask,
  type ScheduleInput,
} from '../../../workflows/domain/schedule.ts';
import { aCard } from '../../helpers/a-board.ts';

const plan = (cards: Card[], differences: Partial<ScheduleInput> = {}) =>
  schedule({
    cards,
    archived: [],
    running: [],
    maxWorkers: 4,
    waited: {},
    moving: [],
    ...differences,
  });
const rankOf = (id: string, cards: Card[], differences?: Partial<ScheduleInput>): RankedTask => {
  const found = plan(cards, differences).ranked.find((task) => task.id === id);
  if (!found) throw new Error(`${id} is not ready`);
  return found;
};

describe('priority of a ready task', () => {
  it.each<[Priority, number]>([
    ['CRITICAL', 0],
    ['HIGH', 10_000],
    ['MEDIUM', 20_000],
    ['LOW', 30_000],
  ])('begins at %s with %i (#27)', (priority, value) => {
    expect(rankOf('AB-1', [aCard('AB-1', { priority })])).toMatchObject({
      priority: value,
      terms: { base: value },
    });
  });

  it('runs lower values first (#27)', () => {
    const cards = (['LOW', 'CRITICAL', 'MEDIUM', 'HIGH'] as const).map((priority, index) =>
      aCard(`${'ABCD'[index]}X-1`, { priority }),
    );
    expect(plan(cards).start).toEqual(['BX-1', 'DX-1', 'CX-1', 'AX-1']);
  });

  it('comes to zero in the worked example (#28)', () => {
    const cards = [
      aCard('AB-1', { priority: 'HIGH', hasPlan: true }),
      aCard('AB-2', { marker: '=' }),
      aCard('CD-1', { dependencies: ['AB-1'] }),
      aCard('CD-2', { dependencies: ['AB-1'] }),
      aCard('CD-3', { dependencies: ['CD-2'] }),
    ];
    const { priority, terms } = rankOf('AB-1', cards);
    expect(terms).toEqual({
      base: 10_000,
      plan: -15_000,
      dependents: -21_000,
      siblings: 20_000,
      ageing: 0,
    });
    expect(Object.values(terms).reduce((sum, term) => sum + term)).toBe(-6_000);
    expect(priority).toBe(0);
  });

  it('falls by 15000 with a plan file (#29)', () => {
    const cards = [aCard('AB-1', { priority: 'LOW', hasPlan: true })];
    expect(rankOf('AB-1', cards)).toMatchObject({ priority: 15_000, terms: { plan: -15_000 } });
  });

  it.each([
    ['a chain', { 'CD-1': ['AB-1'], 'CD-2': ['CD-1'], 'CD-3': ['CD-2'] }, 3],
    ['a diamond', { 'CD-1': ['AB-1'], 'CD-2': ['AB-1'], 'CD-3': ['CD-1', 'CD-2'] }, 3],
    ['two paths to one', { 'CD-1': ['AB-1'], 'CD-2': ['AB-1', 'CD-1'] }, 2],
    ['nobody', { 'CD-1': [] }, 0],
  ])('falls by 7000 for each task that %s makes wait, once each (#30)', (_name, waits, count) => {
    const others = Object.entries(waits).map(([id, dependencies]) => aCard(id, { dependencies }));
    expect(rankOf('AB-1', [aCard('AB-1'), ...others]).terms.dependents).toBe(0 - 7_000 * count);
  });

  it.each<Marker>(['x', 'N', '*', '=', 'P'])(
    'is the same whatever [%s] tasks depend on it (#30)',
    (marker) => {
      const cards = [
        aCard('AB-1'),
        aCard('CD-1', { marker, dependencies: ['AB-1'] }),
        aCard('CD-2', { dependencies: ['AB-1'] }),
      ];
      expect(rankOf('AB-1', cards).terms.dependents).toBe(-7_000);
    },
  );

  it('does not count a dependent that has just been started (#30)', () => {
    const cards = [aCard('AB-1'), aCard('CD-1', { dependencies: ['AB-1'] })];
    expect(rankOf('AB-1', cards, { running: ['CD-1'] }).terms.dependents).toBe(0);
  });

  it.each([
    [1, 20_000],
    [2, 28_284],
    [3, 34_641],
    [4, 40_000],
    [9, 60_000],
  ])('rises with %i siblings at work by %i (#31)', (count, penalty) => {
    const siblings = [...Array(count).keys()].map((n) => aCard(`AB-${n + 10}`, { marker: '=' }));
    expect(rankOf('AB-1', [aCard('AB-1'), ...siblings]).terms.siblings).toBe(penalty);
  });

  it('counts as siblings what is in progress, in review or failed (#31)', () => {
    for (const marker of MARKERS) {
      const cards = [aCard('AB-1'), aCard('AB-2', { marker })];
      const counts = marker === '=' || marker === 'P' || marker === '*';
      expect([marker, rankOf('AB-1', cards).terms.siblings]).toEqual([marker, counts ? 20_000 : 0]);
    }
  });

  it('counts no siblings of another prefix, and itself never (#31)', () => {
    const cards = [aCard('AB-1'), aCard('ABC-2', { marker: '=' }), aCard('A-3', { marker: 'P' })];
    expect(rankOf('AB-1', cards).terms.siblings).toBe(0);
  });

  it('counts a sibling that runs before its marker says so (#31)', () => {
    const cards = [aCard('AB-1'), aCard('AB-2')];
    expect(rankOf('AB-1', cards, { running: ['AB-2'] }).terms.siblings).toBe(20_000);
  });

  it.each([
    [0, 0],
    [6, 0],
    [7, -8_000],
    [13, -8_000],
    [14, -16_000],
    [70, -80_000],
  ])('falls after %i events of waiting by %i (#32)', (waited, bonus) => {
    const { terms } = rankOf('AB-1', [aCard('AB-1')], { waited: { 'AB-1': waited } });
    expect(terms.ageing).toBe(bonus);
  });

  it('is floored once, after all terms are summed (#32)', () => {
    const cards = [
      aCard('AB-1', { priority: 'CRITICAL' }),
      ...[2, 3, 4, 5].map((n) => aCard(`AB-${n}`, { marker: '=' })),
    ];
    // 0 - 32000 + 40000; a floor after the ageing would give 40000.
    expect(rankOf('AB-1', cards, { waited: { 'AB-1': 28 } }).priority).toBe(8_000);
    expect(rankOf('AB-1', cards, { waited: { 'AB-1': 70 } }).priority).toBe(0);
  });

  it('puts equal priorities in the order of their ids (#34)', () => {
    const ids = ['BA-2', 'AB-10', 'ab-1', 'AB-9', 'BA-10'];
    const sorted = ['AB-10', 'AB-9', 'BA-10', 'BA-2', 'ab-1'];
    expect(plan(ids.map((id) => aCard(id))).ranked.map(({ id }) => id)).toEqual(sorted);
  });
});

describe('which tasks start', () => {
  it.each(MARKERS)('starts a task with [%s] only when that is a blank (#19)', (marker) => {
    const { start, ranked } = plan([aCard('AB-1', { marker })]);
    expect(start).toEqual(marker === ' ' ? ['AB-1'] : []);
    expect(ranked).toHaveLength(start.length);
  });

  it.each(MARKERS)('holds a task whose dependency has [%s], but for an x (#19, #20)', (marker) => {
    const cards = [aCard('AB-1', { marker }), aCard('CD-1', { dependencies: ['AB-1'] })];
    const { start, waiting } = plan(cards);
    expect(start.includes('CD-1')).toBe(marker === 'x');
    expect(waiting).toEqual(
      marker === 'x'
        ? []
        : [{ id: 'CD-1', why: { kind: 'dependency', on: [{ id: 'AB-1', marker }] } }],
    );
  });

  it('holds a task until the last of its dependencies is done (#20)', () => {
    const cards = [
      aCard('AB-1', { marker: 'x' }),
      aCard('AB-2', { marker: 'P' }),
      aCard('CD-1', { dependencies: ['AB-1', 'AB-2'] }),
    ];
    expect(plan(cards).waiting).toEqual([
      { id: 'CD-1', why: { kind: 'dependency', on: [{ id: 'AB-2', marker: 'P' }] } },
    ]);
  });

  it('takes a dependency in a done comment for complete (#21)', () => {
    const cards = [aCard('CD-1', { dependencies: ['AB-1'] })];
    expect(plan(cards, { archived: ['AB-1'] }).start).toEqual(['CD-1']);
  });

  it('believes the line on the board more than the done comment (#21)', () => {
    const cards = [aCard('AB-1', { marker: '*' }), aCard('CD-1', { dependencies: ['AB-1'] })];
    expect(plan(cards, { archived: ['AB-1'] }).start).toEqual([]);
  });

  it('starts no more than there are workers, the best first (#41)', () => {
    const cards = [1, 2, 3, 4, 5, 6].map((n) => aCard(`AB-${n}`));
    const { start, waiting } = plan(cards, { maxWorkers: 4 });
    expect(start).toEqual(['AB-1', 'AB-2', 'AB-3', 'AB-4']);
    expect(waiting).toEqual([
      { id: 'AB-5', why: { kind: 'pool-full', limit: 4 } },
      { id: 'AB-6', why: { kind: 'pool-full', limit: 4 } },
    ]);
  });

  it('counts what runs already, also what left the board meanwhile (#41)', () => {
    const cards = [aCard('AB-1', { marker: '=' }), aCard('AB-2'), aCard('AB-3')];
    const running = ['AB-1', 'ZZ-9'];
    expect(plan(cards, { running, maxWorkers: 3 }).start).toEqual(['AB-2']);
    expect(plan(cards, { running, maxWorkers: 1 }).start).toEqual([]);
  });

  it('does not start a running task again whose marker is still blank (#41)', () => {
    const { start, waiting } = plan([aCard('AB-1')], { running: ['AB-1'] });
    expect({ start, waiting }).toEqual({ start: [], waiting: [] });
  });

  it('holds what depends on a running task whose marker is still blank (#20)', () => {
    const cards = [aCard('AB-1'), aCard('CD-1', { dependencies: ['AB-1'] })];
    expect(plan(cards, { running: ['AB-1'] }).waiting).toEqual([
      { id: 'CD-1', why: { kind: 'dependency', on: [{ id: 'AB-1', marker: '=' }] } },
    ]);
  });
});

describe('tasks that can never start', () => {
  it('names the members of a cycle and lets the others go on (#35)', () => {
    const cards = [
      aCard('AB-3', { dependencies: ['AB-1'] }),
      aCard('AB-1', { dependencies: ['AB-2'] }),
      aCard('AB-2', { dependencies: ['AB-3'] }),
      aCard('CD-1'),
      aCard('CD-2', { dependencies: ['AB-1'] }),
    ];
    const members = ['AB-1', 'AB-2', 'AB-3'];
    const { start, cycles, waiting } = plan(cards);
    expect({ start, cycles }).toEqual({ start: ['CD-1'], cycles: [members] });
    expect(waiting).toEqual([
      ...['AB-3', 'AB-1', 'AB-2'].map((id) => ({ id, why: { kind: 'cycle', members } })),
      { id: 'CD-2', why: { kind: 'dependency', on: [{ id: 'AB-1', marker: ' ' }] } },
    ]);
  });

  it('names a task that depends on itself (#35)', () => {
    const { start, cycles } = plan([aCard('AB-1', { dependencies: ['AB-1'] }), aCard('AB-2')]);
    expect({ start, cycles }).toEqual({ start: ['AB-2'], cycles: [['AB-1']] });
  });

  it('sees no cycle where one of the tasks is done (#35)', () => {
    const cards = [
      aCard('AB-1', { marker: 'x', dependencies: ['AB-2'] }),
      aCard('AB-2', { dependencies: ['AB-1'] }),
    ];
    expect(plan(cards)).toMatchObject({ start: ['AB-2'], cycles: [] });
  });

  it('holds a task with an unknown dependency and says which (#17)', () => {
    const cards = [aCard('AB-1', { dependencies: ['ZZ-1', 'ZZ-2'] }), aCard('AB-2')];
    expect(plan(cards)).toMatchObject({
      start: ['AB-2'],
      waiting: [{ id: 'AB-1', why: { kind: 'unknown-dependency', ids: ['ZZ-1', 'ZZ-2'] } }],
    });
  });

  it('holds a task with an error of its own and lets the others go on (#17)', () => {
    const invalid = invalidTasks([
      { line: 7, message: 'AB-1 has an empty Description', task: 'AB-1', severity: 'error' },
      { line: 9, message: 'AB-1 has more', task: 'AB-1', severity: 'error' },
      { line: 2, message: 'AB-2 has no Priority', task: 'AB-2', severity: 'notice' },
      { line: 3, message: 'no task at all', severity: 'error' },
    ]);
    expect(plan([aCard('AB-1'), aCard('AB-2')], { invalid })).toMatchObject({
      start: ['AB-2'],
      waiting: [
        {
          id: 'AB-1',
          why: { kind: 'invalid', message: 'line 7 of the board: AB-1 has an empty Description' },
        },
      ],
    });
  });
});

describe('the end of a run', () => {
  const blocked = (marker: Marker) => [
    aCard('AB-1', { marker }),
    aCard('CD-1', { dependencies: ['AB-1'] }),
    aCard('CD-2', { dependencies: ['CD-1'] }),
  ];

  it.each<Marker>(['*', 'N'])('comes when the rest waits for [%s] tasks (#40)', (marker) => {
    expect(plan(blocked(marker))).toMatchObject({ start: [], finished: true });
  });

  it('comes when everything is done, and on an empty board (#40)', () => {
    expect(plan([aCard('AB-1', { marker: 'x' })]).finished).toBe(true);
    expect(plan([]).finished).toBe(true);
  });

  it('comes when the rest waits for each other, or for nothing there is (#40, #35)', () => {
    const cards = [
      aCard('AB-1', { dependencies: ['AB-1'] }),
      aCard('AB-2', { dependencies: ['AB-1'] }),
      aCard('AB-3', { dependencies: ['ZZ-1'] }),
    ];
    expect(plan(cards).finished).toBe(true);
  });

  it('does not come while a task can start or runs (#40)', () => {
    expect(plan([aCard('AB-1')]).finished).toBe(false);
    expect(plan([aCard('AB-1')], { maxWorkers: 0 }).finished).toBe(false);
    expect(plan(blocked('*'), { running: ['AB-1'] }).finished).toBe(false);
    expect(plan(blocked('='), { moving: ['AB-1'] }).finished).toBe(false);
  });

  it('waits for a pull request only where it merges by itself (#40)', () => {
    expect(plan(blocked('P'), { moving: ['AB-1'] }).finished).toBe(false);
    expect(plan(blocked('P')).finished).toBe(true);
  });
});
