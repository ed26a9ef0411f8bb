import { expect, it } from '@jest/globals';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { readRecord, writeRecord } from '../../workers/server/server-record.ts';
import { serversOnFile } from '../../workers/server/servers-on-file.ts';
import { kill, openRuns, startRun, withOwnServer } from '../helpers/with-own-server.ts';

it('ends a server that nobody recorded before it starts one on the same file', () =>
  withOwnServer(async ({ ensure, said, state }) => {
    const first = await ensure();
    await startRun(first.address, 'found');
    await rm(path.join(state, 'server.json'));

    const second = await ensure();
    expect(second.pid).not.toBe(first.pid);
    expect(said).toContainEqual(expect.stringContaining(`(pid ${first.pid}); it is ended`));
    expect(await serversOnFile(path.join(second.dataDir, 'temporal.db'))).toHaveLength(1);
    expect(await openRuns(second.address)).toEqual(['found']);
  }));

it('takes a record of another boot for what it is', () =>
  withOwnServer(async ({ ensure, stop, status, state }) => {
    const { pid } = await ensure();
    const record = await readRecord(state);
    if (!record) throw new Error('there is no record');
    await stop();
    // As after a reboot: the number belongs to somebody else by now, here to this process.
    const stranger = { ...record.process, pid: process.pid };
    await writeRecord(state, { ...record, process: stranger, stopped: false });

    expect(await status()).toMatchObject({ kind: 'stopped', asked: false });
    expect(await stop()).toBe('not-running');
    const next = await ensure();
    expect(next.startedByUs).toBe(true);
    expect(next.pid).not.toBe(pid);
  }));

it('takes up a server that a killed `stop` had only marked', () =>
  withOwnServer(async ({ ensure, status, state }) => {
    const first = await ensure();
    const record = await readRecord(state);
    if (!record) throw new Error('there is no record');
    await writeRecord(state, { ...record, stopped: true });
    expect(await ensure()).toEqual({ ...first, startedByUs: false });
    await kill(first.pid);
    expect(await status()).toMatchObject({ kind: 'stopped', asked: false });
  }));
