import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readLease } from '../../../activities/agent/attempt-records.ts';
import { turnFolder } from '../../../activities/agent/lease.ts';
import { usageFields } from '../../../activities/agent/usage-fields.ts';
import type { AgentTurn } from '../../../workflows/domain/agent.ts';
import { sumUsage, type ModelUsage } from '../../../workflows/domain/usage.ts';
import { until } from '../../helpers/until.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';

const FAKES = path.join(import.meta.dirname, '..', '..', 'fixtures', 'fake-claude');
const LATER = 'audit-1700000100/0-work-1/life';

const SCENARIO = `
agents:
  audit:
    - - tokens: { input: 100, output: 20, cache_read: 1000, cache_write: 300 }
        model: big
      - { cost: 0.5, model: big }
      - wait_for: go
      - { cost: 0.25, model: big }
      - { tokens: { input: 7, output: 3 }, model: small }
      - { cost: 0.125, model: small }
      - result: PASS
`;
const WHOLE = {
  big: {
    inputTokens: 100,
    outputTokens: 20,
    cacheReadTokens: 1000,
    cacheWriteTokens: 300,
    costUsd: 0.75,
  },
  small: {
    inputTokens: 7,
    outputTokens: 3,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    costUsd: 0.125,
  },
};

const leaseOf = (turn: AgentTurn) =>
  readLease(path.join(turnFolder(turn.place.workerDir, turn.key), 'attempt-1'));

/** Lets the agent wait in its midst, and does something to it there. */
async function interrupted(
  world: AgentWorld,
  act: (lease: NonNullable<Awaited<ReturnType<typeof leaseOf>>>) => void,
) {
  const turn = world.turn({ script: await world.script(SCENARIO) });
  const activity = world.begin(turn);
  activity.result.catch(() => {});
  await until('the agent to wait', async () =>
    (await world.ledger()).some(({ action }) => action === 'wait_for'),
  );
  const lease = await leaseOf(turn);
  if (!lease) throw new Error('nobody holds the turn');
  act(lease);
  const ended = await activity.result.catch((cause: unknown) => String(cause));
  await writeFile(path.join(world.place.workspace, 'go'), '');
  return { turn, ended };
}

describe('what a turn used', () => {
  it('is told by model, cache apart, and stands so in result records (#148)', async () => {
    await withAgents(async (world) => {
      await writeFile(path.join(world.place.workspace, 'go'), '');
      const { usage } = await world.run(world.turn({ script: await world.script(SCENARIO) }));
      expect(usage).toMatchObject({ inputTokens: 1407, outputTokens: 23, costUsd: 0.875 });
      expect(usage.models).toEqual(WHOLE);
      expect(usageFields(usage)).toMatchObject({
        cost_usd: 0.875,
        tokens: { input: 1407, output: 23 },
        models: { big: { cache_read_tokens: 1000, cost_usd: 0.75 }, small: { cost_usd: 0.125 } },
      });
    });
  });

  it('is that of the model `script` where the scenario names none', async () => {
    await withAgents(async (world) => {
      const script = await world.script('agents: { audit: [[{ cost: 1 }, { result: PASS }]] }');
      const { usage } = await world.run(world.turn({ script }));
      expect(Object.keys(usage.models)).toEqual(['script']);
    });
  });

  it('is whole after kill -9 of the agent, with the turn that goes on (#148, #64)', async () => {
    await withAgents(async (world) => {
      const { turn, ended } = await interrupted(world, ({ agent }) =>
        process.kill(agent?.pid ?? 0, 'SIGKILL'),
      );
      if (typeof ended === 'string') throw new Error(ended);
      expect(ended).toMatchObject({ kind: 'agent-failed', usage: { costUsd: 0.5 } });
      const after = await world.run({ ...turn, key: LATER, continues: true });
      expect(sumUsage([ended.usage, after.usage]).models).toEqual(WHOLE);
    });
  });

  it('is whole after kill -9 of the keeper, with the attempt that goes on (#148, #64)', async () => {
    await withAgents(async (world) => {
      const { turn, ended } = await interrupted(world, ({ keeper }) =>
        process.kill(keeper?.pid ?? 0, 'SIGKILL'),
      );
      expect(ended).toContain('keeper-died');
      const outcome = await world.run(turn, 2);
      expect(outcome).toMatchObject({ kind: 'ok', usage: { costUsd: 0.875 } });
      expect(outcome.usage.models).toEqual(WHOLE);
      // Told again, it is not counted again.
      expect(await world.run(turn, 3)).toEqual(outcome);
    });
  });
});

describe('what a killed run of claude used', () => {
  const OF_ONE_RUN: ModelUsage = {
    inputTokens: 10,
    outputTokens: 5,
    cacheReadTokens: 100,
    cacheWriteTokens: 1,
    costUsd: 0.25,
  };

  it('is counted from its stream, and priced once a price of its model is known (#148, #64)', async () => {
    await withAgents(async (world) => {
      const starts = path.join(world.place.projectDir, 'starts.jsonl');
      const { environment } = world.host;
      const play = (behaviour: string) =>
        Object.assign(environment, {
          CLAUDE: path.join(FAKES, `${behaviour}.mjs`),
          CLAUDE_FAKE_RECORD: starts,
        });
      const killed = async (turn: AgentTurn) => {
        play('resumes');
        const activity = world.begin(turn);
        await until('the first answer', () => activity.beats.at(-1)?.['lastText'] === 'I begin.');
        const [line = ''] = (await readFile(starts, 'utf8')).trimEnd().split('\n').slice(-1);
        process.kill((JSON.parse(line) as { pid: number }).pid, 'SIGKILL');
        return (await activity.result).usage;
      };
      const turn = world.turn({ backend: 'claude' });
      const tokens = { ...OF_ONE_RUN, cacheReadTokens: 0, cacheWriteTokens: 0 };

      const first = await killed(turn);
      expect(first).toMatchObject({ inputTokens: 10, outputTokens: 5, costUsd: 0 });
      expect(first.models).toEqual({ 'claude-fake-1': { ...tokens, costUsd: 0 } });

      // The session goes on: only its own run is charged.
      const second = (await world.run({ ...turn, key: LATER, continues: true })).usage;
      expect(second.models).toEqual({ 'claude-fake-1': OF_ONE_RUN });

      const other = { sessionId: '22222222-2222-4333-8444-555555555555', key: 'audit/other' };
      const third = await killed({ ...turn, ...other });
      expect(third.models['claude-fake-1']).toMatchObject({ inputTokens: 10, outputTokens: 5 });
      expect(third.costUsd).toBeGreaterThan(0);
      expect(third.costUsd).toBeLessThan(0.25);
    });
  });
});
