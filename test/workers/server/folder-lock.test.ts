import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { withFolderLock } from '../../../workers/server/folder-lock.ts';
import { startChild } from '../../helpers/start-child.ts';
import { until } from '../../helpers/until.ts';
import { withFolder } from '../../helpers/with-folder.ts';

const lockIn = (folder: string, onWait = (_pid: number) => undefined as void) => ({
  folder,
  name: 'a.lock',
  onWait,
});
const ledgerOf = (folder: string) =>
  readFileSync(path.join(folder, 'ledger'), 'utf8').trim().split('\n');

describe('withFolderLock', () => {
  it('lets processes work one after the other', async () => {
    await withFolder(async (folder) => {
      const children = Array.from({ length: 4 }, () =>
        startChild('server/takes-lock.mjs', [folder, '8', '3']),
      );
      expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
      const ledger = ledgerOf(folder);
      expect(ledger).toHaveLength(4 * 8 * 2);
      for (let at = 0; at < ledger.length; at += 2)
        expect(ledger[at + 1]).toBe(ledger[at]?.replace('in', 'out'));
      expect(await readdir(folder)).toHaveLength(2);
    });
  });

  it('follows a holder that was killed, and waits for one that lives', async () => {
    await withFolder(async (folder) => {
      const child = startChild('server/takes-lock.mjs', [folder, '1', '60000']);
      try {
        await until('the child is in', () => existsSync(path.join(folder, 'ledger')));
        const waitedFor: number[] = [];
        let entered = false;
        const work = withFolderLock(
          lockIn(folder, (pid) => waitedFor.push(pid)),
          () => Promise.resolve((entered = true)),
        );
        await until('we wait', () => waitedFor.length > 0);
        expect([entered, waitedFor]).toEqual([false, [child.process.pid]]);
        child.process.kill('SIGKILL');
        expect(await work).toBe(true);
      } finally {
        child.process.kill('SIGKILL');
      }
    });
  });

  it('gives the lock back when the work fails', async () => {
    await withFolder(async (folder) => {
      const fails = () => Promise.reject(new Error('no'));
      await expect(withFolderLock(lockIn(folder), fails)).rejects.toThrow('no');
      expect(await withFolderLock(lockIn(folder), () => Promise.resolve(1))).toBe(1);
    });
  });
});
