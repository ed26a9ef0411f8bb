import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { identityOf } from '../../activities/process-identity.ts';
import { liveHost, takeHostLock } from '../../workers/host-lock.ts';
import { startChild } from '../helpers/start-child.ts';
import { withFolder } from '../helpers/with-folder.ts';

const fileIn = (ralphDir: string) => path.join(ralphDir, 'orchestrator', 'host.json');

async function leave(ralphDir: string, text: string): Promise<void> {
  await mkdir(path.dirname(fileIn(ralphDir)), { recursive: true });
  await writeFile(fileIn(ralphDir), text);
}

/** What a host that was killed leaves behind. */
async function leaveDead(ralphDir: string): Promise<void> {
  const child = startChild('client/ends-at-once.mjs', []);
  const identity = await identityOf(child.process.pid ?? 0);
  await child.ended;
  const dead = identity ?? { pid: child.process.pid, startTicks: '1', bootId: 'gone' };
  await leave(ralphDir, JSON.stringify({ ...dead, purpose: 'run', since: '2026-01-01T00:00:00Z' }));
}

describe('takeHostLock', () => {
  it('lets one in, and tells the other who is there and what for', () =>
    withFolder(async (ralphDir) => {
      expect(await takeHostLock(ralphDir, 'run')).toHaveProperty('release');
      expect(await takeHostLock(ralphDir, 'worker start AB-1')).toMatchObject({
        heldBy: { pid: process.pid, purpose: 'run' },
      });
      expect(await liveHost(ralphDir)).toMatchObject({ pid: process.pid, purpose: 'run' });
    }));

  it.each([
    ['nobody was there', () => Promise.resolve()],
    ['the last host was killed', leaveDead],
    ['the file is damaged', (ralphDir: string) => leave(ralphDir, '{"pid": 1')],
    ['the file says something else', (ralphDir: string) => leave(ralphDir, '[]')],
  ])('lets exactly one of many in when %s', (_title, prepare) =>
    withFolder(async (ralphDir) => {
      await prepare(ralphDir);
      const taken = await Promise.all(
        Array.from({ length: 8 }, (_each, number) => takeHostLock(ralphDir, `taker ${number}`)),
      );
      const winners = taken.flatMap((lock, number) => ('release' in lock ? [number] : []));
      expect(winners).toHaveLength(1);
      expect(JSON.parse(await readFile(fileIn(ralphDir), 'utf8'))).toMatchObject({
        purpose: `taker ${winners[0]}`,
      });
      expect(await readdir(path.dirname(fileIn(ralphDir)))).toEqual(['host.json']);
    }),
  );

  it('gives the place back, but never that of another', () =>
    withFolder(async (ralphDir) => {
      const first = await takeHostLock(ralphDir, 'run');
      if (!('release' in first)) throw new Error('the place was taken');
      await first.release();
      expect(await liveHost(ralphDir)).toBeUndefined();
      const second = await takeHostLock(ralphDir, 'worker start AB-1');
      await first.release();
      expect(second).toHaveProperty('release');
      expect(await liveHost(ralphDir)).toMatchObject({ purpose: 'worker start AB-1' });
    }));
});

describe('liveHost', () => {
  it('takes neither a dead process nor a damaged file for a host', () =>
    withFolder(async (ralphDir) => {
      expect(await liveHost(ralphDir)).toBeUndefined();
      await leaveDead(ralphDir);
      expect(await liveHost(ralphDir)).toBeUndefined();
      await leave(ralphDir, '{');
      expect(await liveHost(ralphDir)).toBeUndefined();
    }));
});
