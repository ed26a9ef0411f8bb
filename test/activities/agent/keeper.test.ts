import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startKeeper, type Keeper, type KeeperJob } from '../../../activities/agent/keeper.ts';
import { takeLease } from '../../../activities/agent/lease.ts';
import { identityOf } from '../../../activities/process-identity.ts';
import { until } from '../../helpers/until.ts';
import { withAgents } from '../../helpers/with-agents.ts';

interface Kept {
  keeper: Keeper;
  folder: string;
  workspace: string;
  read: (name: string) => Promise<string>;
}

/** Runs a shell command under a keeper; the test ends it. */
async function keep(
  command: string,
  changes: Partial<KeeperJob>,
  use: (kept: Kept) => Promise<void>,
): Promise<void> {
  await withAgents(async ({ place }) => {
    const { folder } = await takeLease({
      place,
      key: 'audit-1/0-work-0',
      hostId: 'here',
      activity: { workflowId: 'w', runId: 'r', activityId: '1', attempt: 1 },
      log: () => 'log',
    });
    const file = (name: string) => path.join(folder, name);
    await writeFile(file('prompt'), 'the prompt');
    const job: KeeperJob = {
      program: '/bin/sh',
      args: ['-c', command],
      cwd: place.workspace,
      stdinFile: file('prompt'),
      stdoutFile: file('stdout'),
      stderrFile: file('stderr'),
      pidFile: file('pid'),
      timeoutMs: 60_000,
      graceMs: 300,
      orphanGraceMs: 300,
      maxOutputBytes: 1 << 20,
      ...changes,
    };
    const keeper = await startKeeper(folder, job, {
      PATH: process.env['PATH'] ?? '',
      COLOUR: 'red',
    });
    try {
      const read = (name: string) => readFile(file(name), 'utf8');
      await use({ keeper, folder, workspace: place.workspace, read });
    } finally {
      keeper.stop();
      await keeper.ended;
    }
  });
}

const isAlive = async (pid: number) => (await identityOf(pid)) !== undefined;

const pidIn = async (file: string) => {
  const text = async () => (await readFile(file, 'utf8').catch(() => '')).trim();
  await until(`a number in ${file}`, async () => (await text()) !== '');
  return Number(await text());
};

const STUBBORN = `trap '' TERM INT HUP; echo $$ > pid; while :; do sleep 0.1; done`;

describe('a keeper', () => {
  it('hands on prompt, output, environment and exit code', async () => {
    await keep('cat; echo "$COLOUR $HOME" >&2; exit 7', {}, async ({ keeper, read }) => {
      expect(await keeper.ended).toMatchObject({ reason: 'exited', exitCode: 7, survivors: [] });
      expect(await read('stdout')).toBe('the prompt');
      expect(await read('stderr')).toBe('red \n');
    });
  });

  it('marks every process of the attempt, and shows nobody the environment in a file', async () => {
    await keep('echo $WIGGUM_ATTEMPT', {}, async ({ keeper, read }) => {
      await keeper.ended;
      const { marker } = JSON.parse(await read('lease.json')) as { marker: string };
      expect(await read('stdout')).toBe(`${marker}\n`);
      expect(await read('job.json')).not.toContain('red');
    });
  });

  it('ends an agent that is told to stop and hears it', async () => {
    await keep('exec sleep 300', { graceMs: 30_000 }, async ({ keeper, read }) => {
      await until('the agent', async () => (await read('lease.json')).includes('"agent"'));
      const begun = performance.now();
      keeper.stop();
      expect(await keeper.ended).toMatchObject({ reason: 'stopped', signal: 'SIGTERM' });
      expect(performance.now() - begun).toBeLessThan(5_000);
    });
  });

  it('kills an agent that ignores SIGTERM, after its grace', async () => {
    await keep(STUBBORN, { graceMs: 500 }, async ({ keeper, workspace }) => {
      const pid = await pidIn(path.join(workspace, 'pid'));
      keeper.stop();
      expect(await keeper.ended).toMatchObject({
        reason: 'stopped',
        signal: 'SIGKILL',
        survivors: [],
      });
      expect(await isAlive(pid)).toBe(false);
    });
  });

  it('ends an agent at its time limit, after a grace of its own (#57)', async () => {
    const limits = { timeoutMs: 400, graceMs: 100, timeoutGraceMs: 1_500 };
    await keep(STUBBORN, limits, async ({ keeper, workspace }) => {
      const pid = await pidIn(path.join(workspace, 'pid'));
      const end = await keeper.ended;
      expect(end).toMatchObject({ reason: 'timeout', signal: 'SIGKILL', survivors: [] });
      const lasted = Date.parse(end.endedAt) - Date.parse(end.startedAt);
      expect(lasted).toBeGreaterThanOrEqual(1_900);
      expect(await isAlive(pid)).toBe(false);
    });
  });

  it('lets an agent save what it has when its time is over (#57)', async () => {
    const saves = `trap 'sleep 0.6; echo saved; exit 0' TERM; echo $$ > pid; while :; do sleep 0.1; done`;
    const limits = { timeoutMs: 500, graceMs: 100, timeoutGraceMs: 20_000 };
    await keep(saves, limits, async ({ keeper, read }) => {
      expect(await keeper.ended).toMatchObject({ reason: 'timeout', exitCode: 0 });
      expect(await read('stdout')).toBe('saved\n');
    });
  });

  it('waits no longer than a person wants, once it is told to stop (#57)', async () => {
    const limits = { timeoutMs: 300, graceMs: 300, timeoutGraceMs: 15_000 };
    const hears = `trap 'echo $$ > heard' TERM; while :; do sleep 0.1; done`;
    await keep(hears, limits, async ({ keeper, workspace }) => {
      const pid = await pidIn(path.join(workspace, 'heard'));
      expect(await isAlive(pid)).toBe(true);
      const begun = performance.now();
      keeper.stop();
      expect(await keeper.ended).toMatchObject({ reason: 'timeout', signal: 'SIGKILL' });
      expect(performance.now() - begun).toBeLessThan(10_000);
    });
  });

  it.each(['>&1', '>&2'])('stops a flood near its limit: %s', async (where) => {
    const flood = `yes ${'x'.repeat(1_000)} ${where}`;
    await keep(flood, { maxOutputBytes: 1 << 20 }, async ({ keeper, folder }) => {
      expect(await keeper.ended).toMatchObject({ reason: 'output-limit', survivors: [] });
      const name = where === '>&1' ? 'stdout' : 'stderr';
      expect((await stat(path.join(folder, name))).size).toBeGreaterThan(1 << 20);
    });
  });

  it('ends what an agent left behind in a group and session of its own', async () => {
    const command = `setsid sh -c "${STUBBORN.replaceAll('$', '\\$')}" >/dev/null 2>&1 & sleep 0.3`;
    await keep(command, {}, async ({ keeper, workspace }) => {
      expect(await keeper.ended).toMatchObject({ reason: 'exited', exitCode: 0, survivors: [] });
      expect(await isAlive(await pidIn(path.join(workspace, 'pid')))).toBe(false);
    });
  });

  it('finds a process that gave up its group by its mark, and one that gave up its mark by its parent', async () => {
    const unmarked = `env -i /bin/sh -c "${STUBBORN.replaceAll('$', '\\$')}"`;
    await keep(`${unmarked} & sleep 300`, {}, async ({ keeper, workspace }) => {
      const pid = await pidIn(path.join(workspace, 'pid'));
      keeper.stop();
      expect(await keeper.ended).toMatchObject({ survivors: [] });
      expect(await isAlive(pid)).toBe(false);
    });
  });

  it('says why a program could not be started', async () => {
    await keep('', { program: '/no/such/program' }, async ({ keeper }) => {
      expect(await keeper.ended).toMatchObject({
        reason: 'not-started',
        error: { code: 'ENOENT' },
      });
    });
  });

  it('ends at once when it was told to stop before it began', async () => {
    await keep('sleep 300', {}, async ({ keeper }) => {
      keeper.stop();
      expect(await keeper.ended).toMatchObject({ reason: 'stopped', survivors: [] });
    });
  });

  it('writes its own number to agent.pid, and removes it at the end (#203)', async () => {
    await keep('sleep 300', {}, async ({ keeper, folder, read }) => {
      const pid = await pidIn(path.join(folder, 'pid'));
      const lease = JSON.parse(await read('lease.json')) as { keeper: { pid: number } };
      expect(pid).toBe(lease.keeper.pid);
      keeper.stop();
      await keeper.ended;
      await expect(stat(path.join(folder, 'pid'))).rejects.toThrow('ENOENT');
    });
  });
});
