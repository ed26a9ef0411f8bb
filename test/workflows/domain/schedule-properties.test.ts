import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MARKERS, PRIORITIES, type Card } from '../../../workflows/domain/board.ts';
import { schedule, type ScheduleInput } from '../../../workflows/domain/schedule.ts';
import { aCard } from '../../helpers/a-board.ts';

const IDS = ['AB-1', 'AB-2', 'AB-3', 'AB-10', 'CD-1', 'CD-2', 'CD-3', 'EF-1', 'EF-2', 'EF-3'];

/** Any board over a few ids, sane or not, in any state of a run. */
const world: fc.Arbitrary<ScheduleInput> = fc.uniqueArray(fc.constantFrom(...IDS)).chain((ids) =>
  fc.record({
    cards: fc.tuple(
      ...ids.map((id) =>
        fc
          .record({
            marker: fc.oneof(
              { weight: 3, arbitrary: fc.constant(' ' as const) },
              fc.constantFrom(...MARKERS),
            ),
            priority: fc.constantFrom(...PRIORITIES),
            dependencies: fc.uniqueArray(fc.constantFrom(...IDS, 'ZZ-1'), { maxLength: 3 }),
            hasPlan: fc.boolean(),
          })
          .map((card) => aCard(id, card)),
      ),
    ),
    archived: fc.uniqueArray(fc.constantFrom(...IDS), { maxLength: 2 }),
    running: fc.uniqueArray(fc.constantFrom(...IDS), { maxLength: 4 }),
    maxWorkers: fc.integer({ min: 0, max: 6 }),
    waited: fc.dictionary(fc.constantFrom(...IDS), fc.nat({ max: 60 })),
    invalid: fc.dictionary(fc.constantFrom(...IDS), fc.constant('is wrong'), { maxKeys: 2 }),
    moving: fc.uniqueArray(fc.constantFrom(...IDS), { maxLength: 2 }),
  }),
);
const check = (property: (input: ScheduleInput) => void) =>
  fc.assert(fc.property(world, property), { numRuns: 500 });
const ids = (cards: { id: string }[]) => cards.map(({ id }) => id);

describe('any schedule', () => {
  it('never has more workers at work than the limit allows (#41)', () => {
    check((input) => {
      const room = Math.max(0, input.maxWorkers - input.running.length);
      expect(schedule(input).start.length).toBeLessThanOrEqual(room);
    });
  });

  it('leaves no worker idle while a task is ready (#41)', () => {
    check((input) => {
      const { start, ranked } = schedule(input);
      const room = Math.max(0, input.maxWorkers - input.running.length);
      expect(start).toEqual(ids(ranked).slice(0, room));
    });
  });

  it('never starts a task with an unmet dependency, or one that is not pending (#19, #20)', () => {
    check((input) => {
      const cards = new Map(input.cards.map((card) => [card.id, card]));
      const isDone = (id: string) =>
        cards.get(id)?.marker === 'x' || (!cards.has(id) && input.archived.includes(id));
      for (const id of schedule(input).start) {
        expect(cards.get(id)?.marker).toBe(' ');
        expect(input.running).not.toContain(id);
        expect(input.invalid?.[id]).toBeUndefined();
        expect(cards.get(id)?.dependencies.filter((other) => !isDone(other))).toEqual([]);
      }
    });
  });

  it('starts every pending task or says, once, why it waits', () => {
    check((input) => {
      const { start, waiting } = schedule(input);
      const pending = input.cards.filter(
        ({ id, marker }) => marker === ' ' && !input.running.includes(id),
      );
      expect([...start, ...ids(waiting)].sort()).toEqual(ids(pending).sort());
    });
  });

  it('is the same in whatever order the tasks stand on the board (#34)', () => {
    const shuffled = world.chain((input) =>
      fc.tuple(
        fc.constant(input),
        fc.shuffledSubarray(input.cards, {
          minLength: input.cards.length,
          maxLength: input.cards.length,
        }),
      ),
    );
    const sorted = (input: ScheduleInput) => {
      const { waiting, ...rest } = schedule(input);
      return { ...rest, waiting: [...waiting].sort((a, b) => (a.id < b.id ? -1 : 1)) };
    };
    fc.assert(
      fc.property(shuffled, ([input, cards]: [ScheduleInput, Card[]]) => {
        expect(sorted({ ...input, cards })).toEqual(sorted(input));
      }),
      { numRuns: 500 },
    );
  });

  it('orders by the priority that its own terms sum up to, then by id (#32, #34)', () => {
    check((input) => {
      const { ranked } = schedule(input);
      for (const { priority, terms } of ranked)
        expect(priority).toBe(
          Math.max(
            0,
            Object.values(terms).reduce((sum, term) => sum + term),
          ),
        );
      for (const [index, task] of ranked.entries()) {
        const next = ranked[index + 1];
        if (next)
          expect(
            task.priority < next.priority || (task.priority === next.priority && task.id < next.id),
          ).toBe(true);
      }
    });
  });

  it('ends only when nothing runs and nothing is ready (#40)', () => {
    check((input) => {
      const { finished, ranked } = schedule(input);
      if (finished) expect([...input.running, ...input.moving, ...ranked]).toEqual([]);
    });
  });

  it('comes to its end when each started task is done at once (#40)', () => {
    check((input) => {
      let cards = input.cards;
      for (let passes = 0; passes <= cards.length; passes += 1) {
        const idle = { running: [], moving: [], maxWorkers: 2 };
        const { start, finished } = schedule({ ...input, ...idle, cards });
        expect(finished).toBe(start.length === 0);
        if (finished) return;
        cards = cards.map((card) => (start.includes(card.id) ? { ...card, marker: 'x' } : card));
      }
      throw new Error('it never ends');
    });
  });
});
