import { describe, expect, it } from '@jest/globals';
import { NOTHING_WAITED, nextWaited, type Ageing } from '../../../workflows/domain/ageing.ts';
import type { Card } from '../../../workflows/domain/board.ts';
import { schedule } from '../../../workflows/domain/schedule.ts';
import { aCard } from '../../helpers/a-board.ts';

/** One look at a board with one worker, as the board's workflow takes it. */
function look(
  before: Ageing,
  cards: Card[],
  { running = [], runEnded = false }: { running?: string[]; runEnded?: boolean } = {},
): Ageing {
  const { waited } = before;
  const plan = schedule({ cards, archived: [], running, maxWorkers: 1, waited, moving: [] });
  return nextWaited(before, { schedule: plan, runEnded });
}

const READY = [aCard('AB-1'), aCard('AB-2'), aCard('AB-3')];
const BUSY = [aCard('AB-1', { marker: '=' }), aCard('AB-2'), aCard('AB-3')];
const running = ['AB-1'];

describe('nextWaited', () => {
  it('counts the first look for each ready task that does not start (#33)', () => {
    expect(look(NOTHING_WAITED, READY)).toEqual({ waited: { 'AB-2': 1, 'AB-3': 1 }, blocked: [] });
  });

  it('adds nothing when an equal board is read again (#33)', () => {
    const first = look(NOTHING_WAITED, READY);
    let now = first;
    for (let times = 0; times < 5; times += 1) now = look(now, BUSY, { running });
    expect(now).toEqual(first);
  });

  it.each<[string, Card[], { running?: string[]; runEnded?: boolean }, Record<string, number>]>([
    ['a run ended', BUSY, { running, runEnded: true }, { 'AB-2': 2, 'AB-3': 2 }],
    ['a run starts', BUSY.slice(1), {}, { 'AB-3': 2 }],
    [
      'another task is ready',
      [...BUSY, aCard('CD-1')],
      { running },
      { 'AB-2': 2, 'AB-3': 2, 'CD-1': 1 },
    ],
    ['a ready task is gone', BUSY.slice(0, 2), { running }, { 'AB-2': 2 }],
    [
      'another task is blocked',
      [...BUSY, aCard('CD-1', { dependencies: ['AB-1'] })],
      { running },
      { 'AB-2': 2, 'AB-3': 2 },
    ],
  ])('counts one event for all when %s (#33)', (_name, cards, change, waited) => {
    const before = look(NOTHING_WAITED, READY);
    expect(look(before, cards, change).waited).toEqual(waited);
  });

  it('counts one event, however much happens at once (#33)', () => {
    const before = look(NOTHING_WAITED, READY);
    const cards = [aCard('AB-2'), aCard('AB-3'), aCard('CD-1'), aCard('CD-2')];
    expect(look(before, cards, { runEnded: true }).waited).toMatchObject({ 'AB-3': 2, 'CD-1': 1 });
  });

  it('forgets a task that starts, and one that is no longer ready (#33)', () => {
    let now = look(NOTHING_WAITED, READY);
    now = look(
      now,
      [aCard('AB-2', { dependencies: ['AB-1'] }), aCard('AB-3'), ...BUSY.slice(0, 1)],
      { running },
    );
    expect(now).toEqual({ waited: { 'AB-3': 2 }, blocked: ['AB-2'] });
    expect(look(now, [aCard('AB-3')], { runEnded: true })).toEqual({ waited: {}, blocked: [] });
  });

  it('lets a LOW task that waited long enough start before a fresh HIGH one (#32, #33)', () => {
    const low = aCard('ZZ-1', { priority: 'LOW' });
    let ageing: Ageing = NOTHING_WAITED;
    for (let n = 1; n < 100; n += 1) {
      // One HIGH task after the other comes and is done at once.
      const cards = [aCard(`${'ABCDEFGHIJ'[n % 10]}X-${n}`, { priority: 'HIGH' }), low];
      const plan = schedule({
        cards,
        archived: [],
        running: [],
        maxWorkers: 1,
        waited: ageing.waited,
        moving: [],
      });
      ageing = nextWaited(ageing, { schedule: plan, runEnded: true });
      if (plan.start[0] === 'ZZ-1') {
        expect(n).toBe(22);
        return;
      }
    }
    throw new Error('the task starves');
  });
});
