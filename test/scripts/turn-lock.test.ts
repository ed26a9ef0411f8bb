import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { startChild } from '../helpers/start-child.ts';
import { until } from '../helpers/until.ts';
import { withFolder } from '../helpers/with-folder.ts';

const ledgerOf = (folder: string) =>
  readFileSync(path.join(folder, 'ledger'), 'utf8').trim().split('\n');

describe('the turn lock of the set-up', () => {
  it('lets processes work one after the other', () =>
    withFolder(async (folder) => {
      const children = Array.from({ length: 4 }, () =>
        startChild('scripts/takes-turn.mjs', [folder, '5', '3']),
      );
      expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
      const ledger = ledgerOf(folder);
      expect(ledger).toHaveLength(4 * 5 * 2);
      for (let at = 0; at < ledger.length; at += 2)
        expect(ledger[at + 1]).toBe(ledger[at]?.replace('in', 'out'));
    }));

  it('goes on at once after a process that was killed in its turn', () =>
    withFolder(async (folder) => {
      const killed = startChild('scripts/takes-turn.mjs', [folder, '1', '60000']);
      await until('it is in', () => existsSync(path.join(folder, 'ledger')));
      const next = startChild('scripts/takes-turn.mjs', [folder, '1', '0']);
      killed.process.kill('SIGKILL');
      expect(await next.ended).toBe(0);
      expect(ledgerOf(folder)).toEqual([
        `in ${killed.process.pid}`,
        `in ${next.process.pid}`,
        `out ${next.process.pid}`,
      ]);
    }));
});
