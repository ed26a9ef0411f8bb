import { describe, expect, it } from '@jest/globals';
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
});
