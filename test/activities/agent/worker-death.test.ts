import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { readEnd, readLease } from '../../../activities/agent/attempt-records.ts';
import { deadAttempts } from '../../../activities/agent/dead-attempts.ts';
import { turnFolder } from '../../../activities/agent/lease.ts';
import { identityOf } from '../../../activities/process-identity.ts';
import type { AgentTurn } from '../../../workflows/domain/agent.ts';
import { startChild, type TestChild } from '../../helpers/start-child.ts';
import { until } from '../../helpers/until.ts';
import { HOST_ID, withAgents, type AgentWorld } from '../../helpers/with-agents.ts';

const isAlive = async (pid: unknown) => (await identityOf(Number(pid))) !== undefined;

const workers: TestChild[] = [];

const startWorker = (world: AgentWorld, turn: AgentTurn, attempt = 1) => {
  const order = JSON.stringify({ turn, host: world.host, attempt });
  const worker = startChild('agent/runs-turn.mjs', [order]);
  workers.push(worker);
  return worker;
};

afterEach(() => workers.splice(0).forEach(({ process }) => process.kill('SIGKILL')));

const attemptFolder = (turn: AgentTurn, attempt: number) =>
  path.join(turnFolder(turn.place.workerDir, turn.key), `attempt-${attempt}`);

async function actionBegun(world: AgentWorld, action: string) {
  await until(`the agent at ${action}`, async () =>
    (await world.ledger()).some((entry) => entry['action'] === action),
  );
  return (await world.ledger()).find((entry) => entry['action'] === action);
}

describe('kill -9 of a worker', () => {
  it('ends the agent and all that it started, also what ignores SIGTERM', async () => {
    await withAgents(async (world) => {
      const daemon = `setsid sh -c 'trap \\"\\" TERM; echo $$ > daemon.pid; while :; do sleep 1; done' >/dev/null 2>&1 &`;
      const script = await world.script(
        `agents: { audit: [[{ run: "${daemon} sleep 300 >/dev/null 2>&1 & echo $! > child.pid" }, { ignore_sigterm: true }, { hang: true }]] }`,
      );
      const turn = world.turn({ script });
      const worker = startWorker(world, turn);
      const agent = await actionBegun(world, 'hang');
      const pids = [
        agent?.['pid'],
        Number(await world.read('workspace/child.pid')),
        Number(await world.read('workspace/daemon.pid')),
      ];
      expect(await Promise.all(pids.map(isAlive))).toEqual([true, true, true]);
      worker.process.kill('SIGKILL');
      await worker.ended;

      await until(
        'the end of the tree',
        async () => (await readEnd(attemptFolder(turn, 1))) !== undefined,
      );
      expect(await readEnd(attemptFolder(turn, 1))).toMatchObject({
        reason: 'worker-died',
        survivors: [],
      });
      expect(await Promise.all(pids.map(isAlive))).toEqual([false, false, false]);
    });
  });

  it('lets the next attempt go on in the same session, with nothing done twice', async () => {
    await withAgents(async (world) => {
      const script = await world.script(
        'agents: { audit: [[{ append: { path: a.txt, content: one } }, { cost: 1 }, { wait_for: go }, { append: { path: a.txt, content: two } }, { cost: 2 }, { result: PASS }]] }',
      );
      const turn = world.turn({ script });
      const first = startWorker(world, turn);
      const before = await actionBegun(world, 'wait_for');
      first.process.kill('SIGKILL');
      await first.ended;
      // Let go earlier, the agent would do a part of its next action before it is ended.
      await until('its end', async () => (await readEnd(attemptFolder(turn, 1))) !== undefined);
      await writeFile(path.join(world.place.workspace, 'go'), '');
      const second = startWorker(world, turn, 2);

      expect(await second.ended).toBe(0);
      expect(JSON.parse(second.output())).toMatchObject({
        kind: 'ok',
        result: 'PASS',
        usage: { costUsd: 3 },
      });
      expect(await world.read('workspace/a.txt')).toBe('onetwo');
      const ledger = await world.ledger();
      const resumed = ledger.findIndex(({ event }) => event === 'resume');
      expect(ledger.slice(resumed).some(({ pid }) => pid === before?.['pid'])).toBe(false);
      expect(new Set(ledger.map(({ session }) => session)).size).toBe(1);
    });
  });

  it('makes the next attempt wait until a stubborn agent is gone', async () => {
    await withAgents(async (world) => {
      const script = await world.script(
        'agents: { audit: [[{ ignore_sigterm: true }, { wait_for: go }, { result: PASS }]] }',
      );
      const turn = world.turn({ script });
      const first = startWorker(world, turn);
      const before = await actionBegun(world, 'wait_for');
      first.process.kill('SIGKILL');
      await first.ended;
      expect(await isAlive(before?.['pid'])).toBe(true);
      const second = startWorker(world, turn, 2);
      await until('the second agent', async () =>
        (await world.ledger()).some(({ event }) => event === 'resume'),
      );

      expect(await isAlive(before?.['pid'])).toBe(false);
      await writeFile(path.join(world.place.workspace, 'go'), '');
      expect(await second.ended).toBe(0);
    });
  });

  it('is found by the host that starts next', async () => {
    await withAgents(async (world) => {
      const script = await world.script('agents: { audit: [[{ hang: true }]] }');
      const turn = world.turn({ script });
      const worker = startWorker(world, turn);
      await actionBegun(world, 'hang');
      expect(await deadAttempts(world.place.ralphDir, HOST_ID, { waitMs: 0 })).toEqual([]);
      worker.process.kill('SIGKILL');
      await worker.ended;

      const [dead, ...others] = await deadAttempts(world.place.ralphDir, HOST_ID);
      expect(others).toEqual([]);
      expect(dead).toMatchObject({
        folder: attemptFolder(turn, 1),
        lease: { workflowId: 'task/test/AB-1', activityId: '1', temporalAttempt: 1 },
      });
      expect(await deadAttempts(world.place.ralphDir, 'another host')).toEqual([]);
    });
  });

  it('is found also after the turn has finished: it may not have been told', async () => {
    await withAgents(async (world) => {
      const worker = startWorker(world, world.turn());
      expect(await worker.ended).toBe(0);
      expect(await deadAttempts(world.place.ralphDir, HOST_ID)).toHaveLength(1);
    });
  });

  it('leaves what this process holds, but not what it held when it served before', async () => {
    await withAgents(async (world) => {
      const before = new Date().toISOString();
      await world.run(world.turn());
      const { ralphDir } = world.place;
      expect(await deadAttempts(ralphDir, HOST_ID, { servesSince: before })).toEqual([]);
      const servesSince = new Date(Date.now() + 1).toISOString();
      expect(await deadAttempts(ralphDir, HOST_ID, { servesSince })).toHaveLength(1);
    });
  });
});

describe('kill -9 of a keeper', () => {
  it('is noticed: the agent is ended, and the attempt fails so that the next one resumes', async () => {
    await withAgents(async (world) => {
      const script = await world.script(
        'agents: { audit: [[{ wait_for: go }, { result: PASS }]] }',
      );
      const turn = world.turn({ script });
      const activity = world.begin(turn);
      const agent = await actionBegun(world, 'wait_for');
      const lease = await readLease(attemptFolder(turn, 1));
      expect(await readFile(path.join(world.place.workerDir, 'agent.pid'), 'utf8')).toBe(
        `${lease?.keeper?.pid}\n`,
      );
      process.kill(lease?.keeper?.pid ?? 0, 'SIGKILL');

      await expect(activity.result).rejects.toThrow('keeper-died');
      expect(await isAlive(agent?.['pid'])).toBe(false);
      await writeFile(path.join(world.place.workspace, 'go'), '');
      expect(await world.run(turn, 2)).toMatchObject({ kind: 'ok', result: 'PASS' });
    });
  });
});
