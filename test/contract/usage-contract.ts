import { access, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { readLease } from '../../activities/agent/attempt-records.ts';
import { turnFolder } from '../../activities/agent/lease.ts';
import type { AgentOutcome, AgentTurn } from '../../workflows/domain/agent.ts';
import { sumUsage } from '../../workflows/domain/usage.ts';
import { until } from '../helpers/until.ts';
import { EACH, type Move, type Stage, type WithStage } from './stage.ts';

const say = (text: string): Move => ({ kind: 'say', text });
const run = (command: string): Move => ({ kind: 'run', command });
const WAITS = 'touch waits; while [ ! -e go ]; do sleep 0.1; done';

/** What holds for the figures of every backend, through all turns of a session. */
export function usageContract(withStage: WithStage, model: string): void {
  const answers = (count: number) => usageOf(model, count);

  it('adds the turns of a session up, each of them once (#148)', () =>
    withStage(async (stage) => {
      const outcomes: AgentOutcome[] = [];
      for (const number of [0, 1, 2]) {
        const turn = turnOf(stage, number);
        await stage.play(turn, [run('true'), say('Done.')]);
        outcomes.push(await stage.world.run(turn));
      }
      expect(outcomes.map(({ usage }) => usage)).toEqual([answers(2), answers(2), answers(2)]);
    }));

  it('has all figures of a turn whose worker was stopped in its midst (#148, #64)', () =>
    withStage(async (stage) => {
      const turn = turnOf(stage, 0);
      await stage.play(turn, [run('true'), run(WAITS), say('Done.')]);
      const activity = stage.world.begin(turn);
      await waiting(stage);
      activity.cancel({ workerShutdown: true });
      await expect(activity.result).rejects.toThrow('WORKER_SHUTDOWN');
      await letGo(stage);
      expect((await stage.world.run(turn, 2)).usage).toEqual(answers(3));
    }));

  it('has all figures of a turn whose agent was killed, and of the one behind it (#148, #64)', () =>
    withStage(async (stage) => {
      const { world } = stage;
      const first = turnOf(stage, 0);
      await stage.play(first, [run('true'), say('Done.')]);
      const before = await world.run(first);
      const second = turnOf(stage, 1);
      await stage.play(second, [run('true'), run(WAITS), say('Done.')]);
      const activity = world.begin(second);
      await waiting(stage);
      await killAgent(second);
      const killed = await activity.result;
      expect(killed).toMatchObject({ kind: 'agent-failed' });
      await letGo(stage);
      const after = await world.run(turnOf(stage, 2));
      expect(after).toMatchObject({ kind: 'ok' });
      expect(sumUsage([before.usage, killed.usage, after.usage])).toEqual({
        ...answers(5),
        turns: expect.any(Number),
      });
    }));
}

/** Turns of the same session, one after the other. */
function turnOf(stage: Stage, number: number): AgentTurn {
  return stage.turn({ key: `audit-1700000100/0-work-${number}/life`, continues: number > 0 });
}

/** What so many answers of one model use. */
function usageOf(model: string, count: number) {
  const figures = {
    inputTokens: EACH.inputTokens * count,
    outputTokens: EACH.outputTokens * count,
    costUsd: expect.closeTo(EACH.costUsd * count, 6),
  };
  return {
    ...figures,
    turns: count,
    seconds: expect.any(Number),
    models: { [model]: { ...figures, cacheReadTokens: 0, cacheWriteTokens: 0 } },
  };
}

const waiting = (stage: Stage) =>
  until('the command that waits', () => isThere(stage, 'waits'), 30_000);

const letGo = ({ world }: Stage) => writeFile(path.join(world.place.workspace, 'go'), '');

async function killAgent(turn: AgentTurn): Promise<void> {
  const folder = path.join(turnFolder(turn.place.workerDir, turn.key), 'attempt-1');
  const agent = (await readLease(folder))?.agent;
  if (!agent) throw new Error(`no agent works on ${turn.key}`);
  process.kill(agent.pid, 'SIGKILL');
}

function isThere({ world }: Stage, file: string): Promise<boolean> {
  return access(path.join(world.place.workspace, file)).then(
    () => true,
    () => false,
  );
}
