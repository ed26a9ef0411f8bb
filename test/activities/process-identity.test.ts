import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import {
  fieldsOfStat,
  identityOf,
  isAlive,
  ownIdentity,
} from '../../activities/process-identity.ts';
import { until } from '../helpers/until.ts';

describe('the identity of a process', () => {
  it('is the same as long as it lives', async () => {
    const own = await ownIdentity();
    expect(own.pid).toBe(process.pid);
    expect(await identityOf(process.pid)).toEqual(own);
    expect(await isAlive(own)).toBe(true);
  });

  it('is not that of another process with its number, or of another boot', async () => {
    const own = await ownIdentity();
    expect(await isAlive({ ...own, startTicks: '1' })).toBe(false);
    expect(await isAlive({ ...own, bootId: 'another' })).toBe(false);
  });

  it('is gone with the process, also while nobody has fetched its end', async () => {
    // The shell starts a child, lets it die and does not look: the child stays as a zombie.
    const shell = spawn('/bin/sh', ['-c', 'sleep 0 & echo $!; exec sleep 30']);
    const [output] = (await once(shell.stdout, 'data')) as [Buffer];
    const child = Number(String(output));
    try {
      await until('the end of the child', async () => (await identityOf(child)) === undefined);
      expect(await identityOf(shell.pid ?? 0)).toBeDefined();
    } finally {
      shell.kill('SIGKILL');
    }
  });

  it.each([0, -1, 1.5, Number.NaN])('does not exist for %p', async (pid) => {
    expect(await identityOf(pid)).toBeUndefined();
  });

  it('is read behind a name with blanks and brackets', () => {
    expect(fieldsOfStat('12 (a) b (c)) S 1 12 12 0\n')).toEqual(['S', '1', '12', '12', '0']);
  });
});
