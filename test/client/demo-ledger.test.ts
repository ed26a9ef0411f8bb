import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { judgeCrash, readLedger, type LedgerEntry } from '../../client/demo-ledger.ts';
import { withFolder } from '../helpers/with-folder.ts';

const [FIRST, SECOND] = [101, 202];

function entry(event: LedgerEntry['event'], pid: number, more: Partial<LedgerEntry> = {}) {
  return { event, pid, session: 's-1', key: 'k-1', task: 'AB-1', step: 'execution', ...more };
}
const step = (pid: number, number: number, more: Partial<LedgerEntry> = {}) =>
  entry('step', pid, { number, action: 'write', ...more });

const interrupted = step(FIRST, 1, { action: 'wait' });
const before = [entry('start', FIRST), step(FIRST, 0), interrupted];
const goodEnd = [
  entry('resume', SECOND),
  { ...interrupted, pid: SECOND },
  step(SECOND, 2),
  entry('end', SECOND),
];

describe('the judge of a crash', () => {
  it.each<[string, LedgerEntry[], string[]]>([
    ['finds nothing when the cut off action was begun again', [...before, ...goodEnd], []],
    [
      'finds nothing when even that was not needed',
      [...before, entry('resume', SECOND), step(SECOND, 2), entry('end', SECOND)],
      [],
    ],
    [
      'finds nothing in what another turn did',
      [
        ...before,
        ...goodEnd,
        entry('start', 303, { key: 'k-2', session: 's-2' }),
        step(303, 0, { key: 'k-2' }),
      ],
      [],
    ],
    [
      'finds nothing in a turn of the same name in another task',
      [...before, ...goodEnd, entry('start', 303, { task: 'AB-2', session: 's-2' })],
      [],
    ],
    [
      'finds a second conversation',
      [...before, ...goodEnd.map((each) => ({ ...each, session: 's-2' }))],
      ['one conversation'],
    ],
    [
      'finds a start instead of a resume',
      [...before, entry('start', SECOND), step(SECOND, 2), entry('end', SECOND)],
      ['started 2 time'],
    ],
    ['finds that nobody went on', before, ['started 1 time, resumed 0 time']],
    [
      'finds a second resume',
      [...before, ...goodEnd, entry('resume', 303)],
      ['started 1 time, resumed 2 time'],
    ],
    [
      'finds an action that was done before and is done again',
      [...before, entry('resume', SECOND), step(SECOND, 0), step(SECOND, 1)],
      ['actions; only the one that was cut off'],
    ],
    [
      'finds an action that the second agent did twice',
      [...before, ...goodEnd, step(SECOND, 2)],
      ['actions; only the one that was cut off'],
    ],
    [
      'finds everything at once',
      [...before, entry('start', SECOND, { session: 's-2' }), step(SECOND, 0)],
      ['one conversation', 'started 2 time', 'actions'],
    ],
  ])('%s', (_title, entries, faults) => {
    const found = judgeCrash(entries, interrupted).filter(({ ok }) => !ok);
    expect(found.map(({ text }) => text)).toEqual(
      faults.map((part) => expect.stringContaining(part)),
    );
  });

  it('says what it saw', () => {
    expect(judgeCrash([...before, ...goodEnd], interrupted).map(({ text }) => text)).toEqual([
      'one conversation: session s-1',
      'started 1 time, resumed 1 time, in another process (101 → 202)',
      '3 actions; only the one that was cut off was begun again (wait)',
    ]);
  });
});

describe('the ledger', () => {
  it('is empty before the first agent has written', async () => {
    await withFolder(async (folder) => {
      expect(await readLedger(path.join(folder, 'ledger.jsonl'))).toEqual([]);
    });
  });

  it('leaves a line that is still being written for later', async () => {
    await withFolder(async (folder) => {
      const file = path.join(folder, 'ledger.jsonl');
      const lines = before.map((each) => `${JSON.stringify(each)}\n`).join('');
      await appendFile(file, lines.slice(0, -20));
      expect(await readLedger(file)).toEqual(before.slice(0, 2));
      await appendFile(file, lines.slice(-20));
      expect(await readLedger(file)).toEqual(before);
    });
  });
});
