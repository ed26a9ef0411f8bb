import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CancelledFailure } from '@temporalio/common';
import { turnFolder } from '../../../activities/agent/lease.ts';
import { identityOf } from '../../../activities/process-identity.ts';
import { until } from '../../helpers/until.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';

const scripted = async (world: AgentWorld, actions: string, changes = {}) =>
  world.turn({ script: await world.script(`agents:\n  audit:\n    - ${actions}\n`), ...changes });

const starts = async (world: AgentWorld) =>
  (await world.ledger()).filter(({ event }) => event === 'start' || event === 'resume');

// A zombie is dead: whether somebody has looked at it yet is not our affair.
const isAlive = async (pid: unknown) => (await identityOf(Number(pid))) !== undefined;

describe('runAgent', () => {
  it('returns result, report, log and usage of a turn (#79)', async () => {
    await withAgents(async (world) => {
      const turn = await scripted(
        world,
        '[{ say: hello }, { tool: Read }, { report: All is well. }, { tokens: { input: 7, output: 3 } }, { cost: 0.25 }, { result: FIX }]',
      );
      const outcome = await world.run(turn);

      expect(outcome).toMatchObject({
        kind: 'ok',
        result: 'FIX',
        complete: true,
        sessionId: turn.sessionId,
        usage: { turns: 4, inputTokens: 7, outputTokens: 3, costUsd: 0.25 },
      });
      expect(outcome.usage.seconds).toBeGreaterThan(0);
      expect(await readFile(outcome.report ?? '', 'utf8')).toBe('All is well.\n');
      expect(path.relative(world.place.workerDir, outcome.log)).toBe(
        'logs/audit-1700000100/audit-0-work-0-life.log',
      );
      const [first, ...stream] = (await readFile(outcome.log, 'utf8')).trimEnd().split('\n');
      expect(JSON.parse(first ?? '')).toMatchObject({
        type: 'iteration_start',
        session_id: turn.sessionId,
        prompt: expect.stringContaining('Do AB-1.'),
      });
      expect(JSON.parse(stream.at(-1) ?? '')).toMatchObject({ type: 'end', ok: true });
    });
  });

  it('takes the last valid tag, and none from tool output (#79, #80)', async () => {
    await withAgents(async (world) => {
      const turn = await scripted(
        world,
        `[{ result: FIX }, { result: PASS }, { say: "<result>PERHAPS</result> <result> FAIL </result>" }, { run: "echo '<result>FAIL</result>'" }]`,
      );
      expect(await world.run(turn)).toMatchObject({ kind: 'ok', result: 'PASS' });
    });
  });

  it('finds no result in a prompt that shows the tags (#80)', async () => {
    await withAgents(async (world) => {
      const outcome = await world.run(
        await scripted(world, '[{ say: done }, { no_result: true }]'),
      );
      expect(await readFile(outcome.log, 'utf8')).toContain('<result>PASS</result>');
      expect(outcome).toMatchObject({ kind: 'ok', complete: false });
      expect(outcome.result).toBeUndefined();
    });
  });

  it('returns the finished record without starting the agent again', async () => {
    await withAgents(async (world) => {
      const turn = await scripted(
        world,
        '[{ append: { path: a.txt, content: x } }, { result: PASS }]',
      );
      const first = await world.run(turn);
      const second = await world.run(turn, 2);

      expect(second).toEqual(first);
      expect(await starts(world)).toHaveLength(1);
      expect(await world.read('workspace/a.txt')).toBe('x');
      const names = await readdir(turnFolder(world.place.workerDir, turn.key));
      expect(names.sort()).toEqual(['attempt-1', 'finished.json']);
    });
  });

  it('writes the record before it returns', async () => {
    await withAgents(async (world) => {
      const turn = await scripted(world, '[{ result: PASS }]');
      const outcome = await world.run(turn);
      const file = path.join(turnFolder(world.place.workerDir, turn.key), 'finished.json');
      expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ key: turn.key, outcome });
    });
  });

  it('concludes from the log when the worker died after the agent had finished', async () => {
    await withAgents(async (world) => {
      const turn = await scripted(
        world,
        '[{ append: { path: a.txt, content: x } }, { cost: 0.5 }, { result: PASS }]',
      );
      const first = await world.run(turn);
      // As if the worker had been killed between the end of the agent and the record.
      await rm(path.join(turnFolder(world.place.workerDir, turn.key), 'finished.json'));
      const second = await world.run(turn, 2);

      expect(second).toEqual(first);
      expect(await starts(world)).toHaveLength(1);
      expect(await world.read('workspace/a.txt')).toBe('x');
    });
  });

  it('beats with progress, folder and log while the agent is silent', async () => {
    await withAgents(async (world) => {
      const turn = await scripted(world, '[{ tool: Grep }, { wait: 2.3 }, { result: PASS }]');
      const activity = world.begin(turn);
      const outcome = await activity.result;

      expect(activity.beats.length).toBeGreaterThanOrEqual(3);
      expect(activity.beats.at(-1)).toMatchObject({
        lastTool: 'Grep',
        turns: 1,
        log: outcome.log,
        folder: path.join(turnFolder(world.place.workerDir, turn.key), 'attempt-1'),
      });
    });
  });

  it.each([
    [
      'a failure',
      '[{ fail: broken pipe }]',
      { kind: 'agent-failed', reason: expect.stringContaining('broken pipe') },
    ],
    ['an exit without an end line', '[{ exit: 0 }]', { kind: 'agent-failed' }],
    ['used up turns', '[{ max_turns: true }]', { kind: 'max-turns' }],
    [
      'a usage limit',
      '[{ limit: "2026-01-02T03:04:05.000Z" }]',
      { kind: 'limit', resetsAt: '2026-01-02T03:04:05.000Z' },
    ],
    ['a missing login', '[{ auth: log in first }]', { kind: 'auth' }],
  ])('tells %s as an outcome, not as an error', async (_title, actions, expected) => {
    await withAgents(async (world) => {
      expect(await world.run(await scripted(world, actions))).toMatchObject(expected);
    });
  });

  it('ends an agent that has fallen silent, and goes on in its session', async () => {
    await withAgents(async (world) => {
      Object.assign(world.host.environment, { WIGGUM_STALL_SECONDS: '1' });
      const turn = await scripted(world, '[{ say: thinking }, { wait_for: go }, { result: PASS }]');
      const outcome = await world.run(turn);
      expect(outcome).toMatchObject({ kind: 'stalled', sessionId: turn.sessionId });
      const [first] = await starts(world);
      expect(await isAlive(first?.pid)).toBe(false);
      // A retry of the same turn is told the same; the next turn finds the session.
      expect(await world.run(turn, 2)).toEqual(outcome);
      await writeFile(path.join(world.place.workspace, 'go'), '');
      const next = { ...turn, key: 'audit-1700000100/0-work-1/life', continues: true };
      expect(await world.run(next)).toMatchObject({ kind: 'ok', result: 'PASS' });
      expect((await starts(world)).map(({ event }) => event)).toEqual(['start', 'resume']);
    });
  });

  it('leaves an agent alone that says something now and then', async () => {
    await withAgents(async (world) => {
      Object.assign(world.host.environment, { WIGGUM_STALL_SECONDS: '2' });
      const turn = await scripted(
        world,
        '[{ wait: 1 }, { say: one }, { wait: 1 }, { say: two }, { wait: 1 }, { result: PASS }]',
      );
      expect(await world.run(turn)).toMatchObject({ kind: 'ok', result: 'PASS' });
    });
  });

  it('refuses a limit of silence that is no number of seconds', async () => {
    await withAgents(async (world) => {
      Object.assign(world.host.environment, { WIGGUM_STALL_SECONDS: 'soon' });
      expect(await world.run(await scripted(world, '[{ result: PASS }]'))).toMatchObject({
        kind: 'config',
        reason: expect.stringContaining('WIGGUM_STALL_SECONDS'),
      });
      expect(await starts(world)).toEqual([]);
    });
  });

  it('ends an agent at its time limit', async () => {
    await withAgents(async (world) => {
      const limits = { maxTurns: 30, timeoutSeconds: 1, maxIterations: 3 };
      const turn = await scripted(world, '[{ say: thinking }, { hang: true }]', { limits });
      expect(await world.run(turn)).toMatchObject({ kind: 'timeout' });
      expect(await isAlive((await starts(world))[0]?.pid)).toBe(false);
    });
  });

  it.each([
    ['an unknown agent', { agent: 'test.nobody' }, 'test.nobody'],
    ['an unknown backend', { backend: 'abacus' }, 'abacus'],
    [
      'a scenario that is not there',
      { script: '/nowhere/scenario.yaml' },
      '/nowhere/scenario.yaml',
    ],
  ])(
    'tells %s as a fault of the settings, and frees the workspace',
    async (_title, changes, named) => {
      await withAgents(async (world) => {
        const outcome = await world.run(world.turn(changes));
        expect(outcome).toMatchObject({ kind: 'config', complete: false });
        expect('reason' in outcome && outcome.reason).toContain(named);
        const next = world.turn({ key: 'audit-1700000100/0-work-1/life' });
        expect(await world.run(next)).toMatchObject({ kind: 'ok' });
      });
    },
  );

  it('names a missing program of the claude backend (#190)', async () => {
    await withAgents(async (world) => {
      const environment = { ...world.host.environment, PATH: world.place.workspace, CLAUDE: '' };
      Object.assign(world.host, { environment });
      expect(await world.run(world.turn({ backend: 'claude' }))).toMatchObject({
        kind: 'config',
        reason: expect.stringMatching(/`claude` is not on PATH.*npm install/s),
      });
    });
  });

  it('lets other errors through and frees the workspace', async () => {
    await withAgents(async (world) => {
      const log = path.join(world.place.workerDir, 'logs');
      await writeFile(log, 'in the way');
      await expect(world.run(world.turn())).rejects.toThrow(/EEXIST|ENOTDIR/);
      await rm(log);
      expect(await world.run(world.turn())).toMatchObject({ kind: 'ok' });
    });
  });
});

describe('runAgent, when it is cancelled', () => {
  const atWork = async (world: AgentWorld) => {
    await until('the agent to hang', async () =>
      (await world.ledger()).some(({ action }) => action === 'hang'),
    );
    return (await starts(world))[0]?.pid;
  };

  it.each([
    ['a person', { cancelRequested: true }],
    ['the end of the worker', { workerShutdown: true }],
    ['a server that gave the attempt up', { timedOut: true }],
    ['a workflow that is gone', { notFound: true }],
    ['a pause', { paused: true }],
  ])('ends the whole tree and reports a cancellation, not a failure: %s', async (_title, why) => {
    await withAgents(async (world) => {
      const turn = await scripted(
        world,
        '[{ run: "sleep 300 >/dev/null 2>&1 & echo $! > child.pid" }, { hang: true }]',
      );
      const activity = world.begin(turn);
      const pid = await atWork(world);
      const child = Number(await world.read('workspace/child.pid'));
      activity.cancel(why);

      await expect(activity.result).rejects.toBeInstanceOf(CancelledFailure);
      expect([await isAlive(pid), await isAlive(child)]).toEqual([false, false]);
      const names = await readdir(turnFolder(world.place.workerDir, turn.key));
      expect(names).toEqual(['attempt-1']);
    });
  });

  it('does not start when it is cancelled already', async () => {
    await withAgents(async (world) => {
      const activity = world.begin(await scripted(world, '[{ result: PASS }]'));
      activity.cancel({ cancelRequested: true });
      await expect(activity.result).rejects.toBeInstanceOf(CancelledFailure);
      expect(await starts(world)).toEqual([]);
    });
  });

  it('goes on in the same session after the worker was stopped (#10)', async () => {
    await withAgents(async (world) => {
      const turn = await scripted(
        world,
        '[{ say: first }, { cost: 1 }, { append: { path: a.txt, content: x } }, { wait_for: go }, { cost: 2 }, { result: PASS }]',
      );
      const activity = world.begin(turn);
      await until('the agent to wait', async () =>
        (await world.ledger()).some(({ action }) => action === 'wait_for'),
      );
      activity.cancel({ workerShutdown: true });
      await expect(activity.result).rejects.toThrow('WORKER_SHUTDOWN');
      await writeFile(path.join(world.place.workspace, 'go'), '');
      const outcome = await world.run(turn, 2);

      expect(outcome).toMatchObject({ kind: 'ok', result: 'PASS', usage: { costUsd: 3 } });
      expect(await world.read('workspace/a.txt')).toBe('x');
      expect((await starts(world)).map(({ event, session }) => ({ event, session }))).toEqual([
        { event: 'start', session: turn.sessionId },
        { event: 'resume', session: turn.sessionId },
      ]);
      expect((await starts(world))[1]?.prompt).toContain('You were interrupted');
      expect(outcome.log).toMatch(/audit-0-work-0-life-attempt-2\.log$/);
    });
  });

  it('keeps what an agent finished before the worker was stopped', async () => {
    await withAgents(async (world) => {
      const turn = await scripted(world, '[{ result: PASS }]');
      await world.run(turn);
      await rm(path.join(turnFolder(world.place.workerDir, turn.key), 'finished.json'));
      const activity = world.begin(turn, 2);
      setTimeout(() => activity.cancel({ workerShutdown: true }), 20);
      expect(await activity.result).toMatchObject({ kind: 'ok', result: 'PASS' });
    });
  });
});
