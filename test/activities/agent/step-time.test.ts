import { readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readEnd, readLease } from '../../../activities/agent/attempt-records.ts';
import type { KeeperJob } from '../../../activities/agent/keeper.ts';
import { endLeftOvers } from '../../../activities/agent/keeper.ts';
import { turnFolder } from '../../../activities/agent/lease.ts';
import type { AgentTurn } from '../../../workflows/domain/agent.ts';
import { until } from '../../helpers/until.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';

const limits = (timeoutSeconds: number) => ({ maxTurns: 30, timeoutSeconds, maxIterations: 3 });

const attemptFolder = (turn: AgentTurn, attempt: number) =>
  path.join(turnFolder(turn.place.workerDir, turn.key), `attempt-${attempt}`);

const jobOf = async (turn: AgentTurn, attempt: number) =>
  JSON.parse(
    await readFile(path.join(attemptFolder(turn, attempt), 'job.json'), 'utf8'),
  ) as KeeperJob;

async function stopped(world: AgentWorld, turn: AgentTurn): Promise<void> {
  const activity = world.begin(turn);
  await until('the agent to wait', async () =>
    (await world.ledger()).some(({ action }) => action === 'wait_for'),
  );
  activity.cancel({ workerShutdown: true });
  await expect(activity.result).rejects.toThrow('WORKER_SHUTDOWN');
}

/** Lets an attempt have lasted longer than it did. */
async function prolong(turn: AgentTurn, seconds: number): Promise<void> {
  const file = path.join(attemptFolder(turn, 1), 'end.json');
  const end = JSON.parse(await readFile(file, 'utf8')) as { startedAt: string; endedAt: string };
  const startedAt = new Date(Date.parse(end.endedAt) - seconds * 1_000).toISOString();
  await writeFile(file, JSON.stringify({ ...end, startedAt }));
}

describe('the time of a step', () => {
  it('ends an agent with thirty seconds to save, a person with three (#57)', async () => {
    await withAgents(async (world) => {
      const turn = world.turn({ limits: limits(60) });
      await world.run(turn);
      expect(await jobOf(turn, 1)).toMatchObject({
        timeoutMs: 60_000,
        timeoutGraceMs: 30_000,
        graceMs: 3_000,
      });
    });
  });

  it('keeps what the agent said before its time was over (#57)', async () => {
    await withAgents(async (world) => {
      const script = await world.script(
        'agents: { audit: [[{ report: All but one. }, { result: FIX }, { cost: 1 }, { hang: true }]] }',
      );
      const outcome = await world.run(world.turn({ script, limits: limits(2) }));
      expect(outcome).toMatchObject({ kind: 'timeout', result: 'FIX', usage: { costUsd: 1 } });
      expect(await readFile(outcome.report ?? '', 'utf8')).toBe('All but one.\n');
    });
  });

  it('is shared by all attempts at a turn, and so is what they used (#57)', async () => {
    await withAgents(async (world) => {
      const script = await world.script(
        'agents: { audit: [[{ cost: 1 }, { wait_for: go }, { cost: 2 }, { result: PASS }]] }',
      );
      const turn = world.turn({ script, limits: limits(600) });
      await stopped(world, turn);
      await prolong(turn, 200);
      await writeFile(path.join(world.place.workspace, 'go'), '');
      const { usage } = await world.run(turn, 2);

      expect((await jobOf(turn, 2)).timeoutMs).toBe(400_000);
      expect(usage.costUsd).toBe(3);
      expect(usage.seconds).toBeGreaterThan(200);
      expect(Object.values(usage.models)).toEqual([expect.objectContaining({ costUsd: 3 })]);
    });
  });

  it('starts no agent when earlier attempts have used it up (#57)', async () => {
    await withAgents(async (world) => {
      const script = await world.script('agents: { audit: [[{ result: FIX }, { wait_for: go }]] }');
      const turn = world.turn({ script, limits: limits(600) });
      await stopped(world, turn);
      await prolong(turn, 600);
      await writeFile(path.join(world.place.workspace, 'go'), '');
      expect(await world.run(turn, 2)).toMatchObject({
        kind: 'timeout',
        result: 'FIX',
        reason: expect.stringContaining('600 seconds'),
        usage: { seconds: 600 },
      });
      expect((await world.ledger()).filter(({ event }) => event === 'resume')).toEqual([]);
    });
  });

  it('does not count the time for which the machine was off (#57)', async () => {
    await withAgents(async (world) => {
      const script = await world.script('agents: { audit: [[{ wait_for: go }]] }');
      const turn = world.turn({ script });
      const activity = world.begin(turn);
      await until('the agent to wait', async () =>
        (await world.ledger()).some(({ action }) => action === 'wait_for'),
      );
      const folder = attemptFolder(turn, 1);
      const lease = await readLease(folder);
      process.kill(lease?.keeper?.pid ?? 0, 'SIGKILL');
      await expect(activity.result).rejects.toThrow('keeper-died');
      // As if the end had been found hours after the agent last wrote.
      const last = Date.parse(lease?.startedAt ?? '') / 1_000 + 90;
      await utimes(lease?.log ?? '', last, last);
      await endLeftOvers(folder);
      const end = await readEnd(folder);
      expect(Date.parse(end?.endedAt ?? '') - Date.parse(end?.startedAt ?? '')).toBe(90_000);
    });
  });
});
