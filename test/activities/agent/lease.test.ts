import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readEnd, readLease } from '../../../activities/agent/attempt-records.ts';
import {
  isProvenDead,
  releaseLease,
  takeLease,
  turnFolder,
  type LeaseRequest,
} from '../../../activities/agent/lease.ts';
import { startKeeper } from '../../../activities/agent/keeper.ts';
import { ownIdentity } from '../../../activities/process-identity.ts';
import { startChild } from '../../helpers/start-child.ts';
import { until } from '../../helpers/until.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';

const request = (world: AgentWorld, changes: Partial<LeaseRequest> = {}): LeaseRequest => ({
  place: world.place,
  key: 'audit-1/0-work-0',
  hostId: 'here',
  activity: { workflowId: 'w', runId: 'r', activityId: '7', attempt: 3 },
  log: (attempt) => `log-${attempt}`,
  waitMs: 0,
  ...changes,
});

/** Runs a program under a lease until the test has done its part. */
async function whileRunning(world: AgentWorld, use: () => Promise<void>): Promise<void> {
  const { folder } = await takeLease(request(world));
  const file = (name: string) => path.join(folder, name);
  await writeFile(file('prompt'), '');
  const keeper = await startKeeper(
    folder,
    {
      program: process.execPath,
      args: ['-e', 'setInterval(() => {}, 1000)'],
      cwd: world.place.workspace,
      stdinFile: file('prompt'),
      stdoutFile: file('stdout'),
      stderrFile: file('stderr'),
      pidFile: file('pid'),
      timeoutMs: 60_000,
      graceMs: 1_000,
      orphanGraceMs: 1_000,
      maxOutputBytes: 1_000_000,
    },
    { PATH: process.env['PATH'] ?? '' },
  );
  try {
    await until('the agent', async () => (await readLease(folder))?.agent !== undefined);
    await use();
  } finally {
    keeper.stop();
    await keeper.ended;
  }
}

describe('takeLease', () => {
  it('writes down who works on what', async () => {
    await withAgents(async (world) => {
      const { folder, attempt, earlier } = await takeLease(request(world));
      expect({ attempt, earlier }).toEqual({ attempt: 1, earlier: [] });
      expect(await readLease(folder)).toMatchObject({
        key: 'audit-1/0-work-0',
        hostId: 'here',
        activityId: '7',
        temporalAttempt: 3,
        log: 'log-1',
        worker: await ownIdentity(),
      });
    });
  });

  it('refuses while an earlier attempt lives, also of another turn', async () => {
    await withAgents(async (world) => {
      await whileRunning(world, async () => {
        for (const key of ['audit-1/0-work-0', 'test-2/0-work-0'])
          await expect(takeLease(request(world, { key }))).rejects.toMatchObject({
            code: 'WORKSPACE_BUSY',
          });
      });
      expect(await takeLease(request(world))).toMatchObject({
        attempt: 2,
        earlier: [{ end: { reason: 'stopped' }, lease: { log: 'log-1' } }],
      });
    });
  });

  it('refuses while the worker that holds an unused lease lives', async () => {
    await withAgents(async (world) => {
      const { folder } = await takeLease(request(world));
      await expect(takeLease(request(world))).rejects.toMatchObject({ code: 'WORKSPACE_BUSY' });
      await releaseLease(folder, 'not needed');
      expect(await takeLease(request(world))).toMatchObject({ attempt: 2 });
    });
  });

  it('takes over from a worker that died before it started anything', async () => {
    await withAgents(async (world) => {
      const { log: _log, ...plain } = request(world);
      const worker = startChild('agent/takes-lease.mjs', [JSON.stringify(plain)]);
      try {
        await until('the lease', () => worker.output().includes('attempt-1'));
        await expect(takeLease(request(world))).rejects.toMatchObject({ code: 'WORKSPACE_BUSY' });
      } finally {
        worker.process.kill('SIGKILL');
        await worker.ended;
      }
      expect(await takeLease(request(world))).toMatchObject({
        attempt: 2,
        earlier: [{ end: { reason: 'keeper-died' } }],
      });
    });
  });

  it('waits a while for an attempt that is being ended', async () => {
    await withAgents(async (world) => {
      const { folder } = await takeLease(request(world));
      setTimeout(() => void releaseLease(folder, 'ended'), 300);
      expect(await takeLease(request(world, { waitMs: 5_000 }))).toMatchObject({ attempt: 2 });
    });
  });

  it('gives one of many who ask at the same moment the lease, and the others none', async () => {
    await withAgents(async (world) => {
      const asked = await Promise.allSettled(
        Array.from({ length: 8 }, (_, number) =>
          takeLease(request(world, { key: `audit-1/${number % 3}-work-0` })),
        ),
      );
      const held = asked.filter(({ status }) => status === 'fulfilled');
      expect(held.length).toBeLessThanOrEqual(1);
      for (const each of asked)
        if (each.status === 'rejected')
          expect(each.reason).toMatchObject({ code: 'WORKSPACE_BUSY' });
    });
  });

  it('never judges processes of another machine', async () => {
    await withAgents(async (world) => {
      await takeLease(request(world, { hostId: 'elsewhere' }));
      await expect(takeLease(request(world))).rejects.toMatchObject({ code: 'WORKSPACE_BUSY' });
    });
  });

  it('starts nothing on the word of a record that it cannot read', async () => {
    await withAgents(async (world) => {
      const { folder } = await takeLease(request(world));
      await releaseLease(folder, 'done');
      await writeFile(path.join(folder, 'end.json'), '{"reason":');
      await expect(takeLease(request(world))).rejects.toMatchObject({
        code: 'WORKSPACE_BUSY',
        where: path.join(folder, 'end.json'),
      });
    });
  });
});

describe('isProvenDead', () => {
  it('takes a process number that somebody else has now for dead, and leaves him alone', async () => {
    await withAgents(async (world) => {
      const { folder } = await takeLease(request(world));
      const lease = await readLease(folder);
      const other = { ...(await ownIdentity()), startTicks: '1' };
      await writeFile(
        path.join(folder, 'lease.json'),
        JSON.stringify({ ...lease, worker: other, keeper: other, agent: other }),
      );
      expect(await isProvenDead(folder, 'here')).toBe(true);
      expect(await readEnd(folder)).toMatchObject({ reason: 'keeper-died', survivors: [] });
    });
  });

  it('takes everything for dead that ran before the last boot', async () => {
    await withAgents(async (world) => {
      const { folder } = await takeLease(request(world));
      const lease = await readLease(folder);
      const before = { ...(await ownIdentity()), bootId: 'another boot' };
      await writeFile(
        path.join(folder, 'lease.json'),
        JSON.stringify({ ...lease, worker: before, keeper: before, agent: before }),
      );
      expect(await isProvenDead(folder, 'here')).toBe(true);
    });
  });
});

describe('turnFolder', () => {
  it('keeps keys apart that would have the same name', () => {
    expect(turnFolder('/w', 'a/b')).not.toBe(turnFolder('/w', 'a-b'));
    expect(turnFolder('/w', 'x'.repeat(500)).length).toBeLessThan(120);
  });

  it('leaves nothing half-made behind when a claim fails', async () => {
    await withAgents(async (world) => {
      await Promise.allSettled(Array.from({ length: 4 }, () => takeLease(request(world))));
      const names = await readdir(turnFolder(world.place.workerDir, 'audit-1/0-work-0'));
      expect(names.filter((name) => !name.startsWith('attempt-'))).toEqual([]);
    });
  });
});
