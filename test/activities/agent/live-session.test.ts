import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { AgentTurn } from '../../../workflows/domain/agent.ts';
import { until } from '../../helpers/until.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';

const AGENT = `---
type: test.live
description: A live agent of a test
required_paths: [workspace]
valid_results: [PASS, FIX, FAIL]
mode: live
---

<WIGGUM_SYSTEM_PROMPT>
You are {{step_id}}.
</WIGGUM_SYSTEM_PROMPT>

<WIGGUM_USER_PROMPT>
Answer {{task_id}} in {{session_id}}.
</WIGGUM_USER_PROMPT>
`;

const OTHER = '22222222-2222-4333-8444-555555555555';

interface LiveWorld extends AgentWorld {
  /** The first work turn of run n; each run has a session id of its own from the workflow. */
  liveTurn: (run: number, script?: string) => AgentTurn;
  sessionFile: string;
  stored: () => Promise<string>;
}

async function withLive(use: (world: LiveWorld) => Promise<void>): Promise<void> {
  await withAgents(async (world) => {
    await writeFile(path.join(world.place.ralphDir, 'agents', 'test', 'live.md'), AGENT);
    const sessionFile = path.join(world.place.workerDir, 'live_sessions', 'audit.session');
    await use({
      ...world,
      sessionFile,
      stored: async () => (await readFile(sessionFile, 'utf8')).trim(),
      liveTurn: (run, script) =>
        world.turn({
          agent: 'test.live',
          visit: run,
          runId: `audit-170000010${run}`,
          key: `audit-170000010${run}/0-work-0/life`,
          sessionId: `1111111${run}-2222-4333-8444-555555555555`,
          ...(script && { script }),
        }),
    });
  });
}

const store = async ({ sessionFile }: LiveWorld, text: string) => {
  await mkdir(path.dirname(sessionFile), { recursive: true });
  await writeFile(sessionFile, text);
};

const starts = async (world: AgentWorld) =>
  (await world.ledger())
    .filter(({ event }) => event === 'start' || event === 'resume')
    .map(({ event, session }) => ({ event, session }));

const promptIn = async (log: string) =>
  (JSON.parse((await readFile(log, 'utf8')).split('\n')[0] ?? '') as { prompt: string }).prompt;

describe('a live agent', () => {
  it('begins a session in its first run, and goes on in it in the next (#74)', async () => {
    await withLive(async (world) => {
      const script = await world.script('agents: { audit: [[{ say: one }], [{ say: two }]] }');
      const [first, second] = [world.liveTurn(1, script), world.liveTurn(2, script)];
      expect(await world.run(first)).toMatchObject({ kind: 'ok', sessionId: first.sessionId });
      expect(await world.stored()).toBe(first.sessionId);
      const outcome = await world.run(second);

      expect(outcome).toMatchObject({ kind: 'ok', sessionId: first.sessionId });
      expect(await world.stored()).toBe(first.sessionId);
      expect(await starts(world)).toEqual([
        { event: 'start', session: first.sessionId },
        { event: 'resume', session: first.sessionId },
      ]);
      const prompt = await promptIn(outcome.log);
      expect(prompt).toContain(`Answer AB-1 in ${first.sessionId}.`);
      expect(prompt).not.toContain('interrupted');
    });
  });

  it('begins the one session that a dead attempt only named (#74)', async () => {
    await withLive(async (world) => {
      const turn = world.liveTurn(1, await world.script(''));
      await store(world, `${turn.sessionId}\n`);
      expect(await world.run(turn)).toMatchObject({ kind: 'ok', sessionId: turn.sessionId });
      expect(await starts(world)).toEqual([{ event: 'start', session: turn.sessionId }]);
    });
  });

  it.each([
    ['a session that is not there any more', OTHER],
    ['what is no name of a session', '../../../../etc/passwd'],
    ['an empty file', ''],
  ])('gets a new session in place of %s (#74)', async (_title, text) => {
    await withLive(async (world) => {
      await store(world, text);
      const turn = world.liveTurn(1, await world.script(''));
      const outcome = await world.run(turn);
      expect(outcome.kind).toBe('ok');
      expect(outcome.sessionId).not.toBe(OTHER);
      expect(outcome.sessionId).toMatch(/^[0-9a-f-]{36}$/);
      expect(await world.stored()).toBe(outcome.sessionId);
      expect(await starts(world)).toEqual([{ event: 'start', session: outcome.sessionId }]);
      expect(await promptIn(outcome.log)).toContain(`in ${outcome.sessionId}.`);
    });
  });

  it('replaces a session that its program does not know, in the same turn (#74)', async () => {
    await withLive(async (world) => {
      const script = await world.script(
        'agents: { audit: [[{ say: one }, { lose_session: true }], [{ cost: 1 }, { result: FIX }]] }',
      );
      const first = world.liveTurn(1, script);
      await world.run(first);
      const outcome = await world.run(world.liveTurn(2, script));

      expect(outcome).toMatchObject({ kind: 'ok', result: 'FIX', usage: { costUsd: 1 } });
      expect(outcome.sessionId).not.toBe(first.sessionId);
      expect(await world.stored()).toBe(outcome.sessionId);
      expect((await starts(world)).at(-1)).toEqual({ event: 'start', session: outcome.sessionId });
      expect(outcome.log).toMatch(/attempt-2\.log$/);
    });
  });

  it('goes on in the session it has when its worker was stopped, and repeats the request (#74)', async () => {
    await withLive(async (world) => {
      const script = await world.script(
        'agents: { audit: [[{ say: one }], [{ wait_for: go }, { result: PASS }]] }',
      );
      const first = world.liveTurn(1, script);
      await world.run(first);
      const second = world.liveTurn(2, script);
      const activity = world.begin(second);
      await until('the agent to wait', async () =>
        (await world.ledger()).some(({ action }) => action === 'wait_for'),
      );
      activity.cancel({ workerShutdown: true });
      await expect(activity.result).rejects.toThrow('WORKER_SHUTDOWN');
      await writeFile(path.join(world.place.workspace, 'go'), '');
      const outcome = await world.run(second, 2);

      expect(outcome).toMatchObject({ kind: 'ok', result: 'PASS', sessionId: first.sessionId });
      expect(await promptIn(outcome.log)).toMatch(/You were interrupted.*Answer AB-1/s);
      expect(new Set((await starts(world)).map(({ session }) => session)).size).toBe(1);
    });
  });

  it('has one session also after the end of a turn could not be told (#74)', async () => {
    await withLive(async (world) => {
      const script = await world.script('agents: { audit: [[{ say: one }], [{ say: two }]] }');
      await world.run(world.liveTurn(1, script));
      const second = world.liveTurn(2, script);
      const outcome = await world.run(second);
      const leases = path.join(world.place.workerDir, 'leases');
      for (const name of await readdir(leases))
        await rm(path.join(leases, name, 'finished.json'), { force: true });
      expect(await world.run(second, 2)).toEqual(outcome);
      expect(await starts(world)).toHaveLength(2);
    });
  });
});
