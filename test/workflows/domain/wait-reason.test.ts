import { describe, expect, it } from '@jest/globals';
import { MARKERS } from '../../../workflows/domain/board.ts';
import { describeReason, type WaitReason } from '../../../workflows/domain/wait-reason.ts';

describe('describeReason', () => {
  it.each<[WaitReason, string]>([
    [
      { kind: 'dependency', on: [{ id: 'AB-1', marker: '=' }] },
      'waits for AB-1, which is in progress ([=])',
    ],
    [
      {
        kind: 'dependency',
        on: [
          { id: 'AB-1', marker: '*' },
          { id: 'AB-2', marker: 'P' },
        ],
      },
      'waits for AB-1, which failed ([*]) and AB-2, which waits for its merge ([P])',
    ],
    [{ kind: 'pool-full', limit: 4 }, 'waits for a free worker: all 4 are busy'],
    [{ kind: 'pool-full', limit: 1 }, 'waits for the only worker, which is busy'],
    [{ kind: 'cycle', members: ['AB-1'] }, 'never starts: it depends on itself'],
    [
      { kind: 'cycle', members: ['AB-1', 'AB-2'] },
      'never starts: AB-1 and AB-2 depend on each other',
    ],
    [
      { kind: 'unknown-dependency', ids: ['ZZ-9'] },
      'never starts: the board has no valid task ZZ-9, on which it depends',
    ],
    [
      { kind: 'invalid', message: 'line 4 of the board: AB-1 has an empty Description' },
      'cannot start: line 4 of the board: AB-1 has an empty Description',
    ],
  ])('says for what a task waits: %j', (why, text) => {
    expect(describeReason(why)).toBe(text);
  });

  it('shows the marker of every kind of dependency', () => {
    for (const marker of MARKERS)
      expect(describeReason({ kind: 'dependency', on: [{ id: 'AB-1', marker }] })).toContain(
        `([${marker}])`,
      );
  });

  it('stays one readable line, however many tasks there are to name', () => {
    const ids = [...Array(5_000).keys()].map((n) => `AB-${n}`);
    const reasons: WaitReason[] = [
      { kind: 'cycle', members: ids },
      { kind: 'unknown-dependency', ids },
      { kind: 'dependency', on: ids.map((id) => ({ id, marker: ' ' })) },
    ];
    for (const why of reasons) {
      expect(describeReason(why)).toContain('AB-0');
      expect(describeReason(why)).toContain('and 4997 more');
      expect(describeReason(why).length).toBeLessThan(200);
    }
  });
});
