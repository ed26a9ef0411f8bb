import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { turnFolder } from '../../../activities/agent/lease.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';

const events = async (world: AgentWorld) =>
  (await world.read('activity.jsonl'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const names = (list: Record<string, unknown>[]) => list.map(({ event }) => event);

describe('the events of a turn', () => {
  it('tell each iteration with its exit code, once (#169)', async () => {
    await withAgents(async (world) => {
      const script = await world.script('agents: { audit: [[{ max_turns: true }]] }');
      const turn = world.turn({ agent: 'test.loop', script });
      await world.run(turn);
      await world.run(turn, 2);
      const list = await events(world);
      expect(names(list)).toEqual(['agent.started', 'agent.completed', 'iteration.completed']);
      expect(list.at(-1)).toMatchObject({
        event: 'iteration.completed',
        iteration: 0,
        exit_code: 0,
        step_id: 'audit',
        run_id: 'audit-1700000100',
        task_id: 'AB-1',
      });
    });
  });

  it.each([
    ['[{ fail: broken pipe }]', 'agent-failed', 'broken pipe', 1],
    ['[{ hang: true }]', 'timeout', 'after 2 seconds', 124],
  ])('tell what went wrong: %s (#169)', async (actions, type, message, exitCode) => {
    await withAgents(async (world) => {
      const script = await world.script(`agents: { audit: [${actions}] }`);
      const limits = { maxTurns: 30, timeoutSeconds: 2, maxIterations: 3 };
      await world.run(world.turn({ script, limits }));
      const list = await events(world);
      expect(list.find(({ event }) => event === 'error')).toMatchObject({
        error_type: type,
        message: expect.stringContaining(message),
        session_id: '11111111-2222-4333-8444-555555555555',
      });
      expect(list.at(-1)).toMatchObject({ event: 'iteration.completed', exit_code: exitCode });
    });
  });

  it('tell neither iteration nor error of a session that waits for its reset (#169)', async () => {
    await withAgents(async (world) => {
      const script = await world.script('agents: { audit: [[{ limit: true }]] }');
      await world.run(world.turn({ script }));
      expect(names(await events(world))).toEqual(['agent.started', 'agent.completed']);
    });
  });

  it('tell no iteration of a summary (#169)', async () => {
    await withAgents(async (world) => {
      const script = await world.script('agents: { audit: [[{ max_turns: true }]] }');
      const turn = world.turn({ agent: 'test.loop', script });
      await world.run(turn);
      const summary = { ...turn, purpose: 'summary' as const, key: 'audit-1700000100/0-summary-1' };
      await world.run({ ...summary, continues: true });
      const list = await events(world);
      expect(names(list).filter((event) => event === 'iteration.completed')).toHaveLength(1);
    });
  });

  it('go on in a new file when the agent put a link in place of the log (#169)', async () => {
    await withAgents(async (world) => {
      const precious = path.join(world.place.projectDir, 'precious');
      await writeFile(precious, '');
      const script = await world.script(
        `agents: { audit: [[{ run: "${STARTED} rm ../activity.jsonl; ln -s ${precious} ../activity.jsonl" }, { result: PASS }]] }`,
      );
      expect(await world.run(world.turn({ script }))).toMatchObject({ kind: 'ok', result: 'PASS' });
      expect(names(await events(world))).toEqual(['agent.completed', 'iteration.completed']);
      expect(await readFile(precious, 'utf8')).toBe('');
    });
  });

  it('cost no turn when they cannot be told, and are told by the retry (#169)', async () => {
    await withAgents(async (world) => {
      const logs = path.join(world.place.ralphDir, 'logs');
      const script = await world.script(
        `agents: { audit: [[{ run: "${STARTED} rm -r ${logs}; touch ${logs}" }, { result: PASS }]] }`,
      );
      const turn = world.turn({ script });
      await expect(world.run(turn)).rejects.toThrow('EEXIST');
      const starts = await world.ledger();
      await expect(world.run(turn, 2)).rejects.toThrow('EEXIST');
      await rm(logs);
      expect(await world.run(turn, 3)).toMatchObject({ kind: 'ok', result: 'PASS' });
      expect(await world.ledger()).toEqual(starts);
      expect(await readdir(turnFolder(world.place.workerDir, turn.key))).not.toContain('attempt-2');
      expect(names(await events(world))).toEqual([
        'agent.started',
        'agent.completed',
        'iteration.completed',
      ]);
    });
  });
});

/** The agent is faster than its worker: it waits until that has told that it works. */
const STARTED = 'while ! grep -q agent.started ../activity.jsonl; do sleep 0.05; done;';
