import { readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { turnFolder } from '../../../../activities/agent/lease.ts';
import { identityOf } from '../../../../activities/process-identity.ts';
import type { AgentTurn } from '../../../../workflows/domain/agent.ts';
import { until } from '../../../helpers/until.ts';
import { withAgents, type AgentWorld } from '../../../helpers/with-agents.ts';

const FAKES = path.join(import.meta.dirname, '..', '..', '..', 'fixtures', 'fake-claude');

interface Start {
  args: string[];
  prompt: string;
  pid: number;
  environment: Record<string, string>;
  cwd: string;
}

/** A world in which `claude` behaves as one of the fakes does. */
async function withClaude(
  behaviour: string,
  use: (world: AgentWorld, turn: AgentTurn, starts: () => Promise<Start[]>) => Promise<void>,
): Promise<void> {
  await withAgents(async (world) => {
    const record = path.join(world.place.projectDir, 'starts.jsonl');
    Object.assign(world.host, {
      environment: {
        ...world.host.environment,
        CLAUDE: path.join(FAKES, `${behaviour}.mjs`),
        CLAUDE_FAKE_RECORD: record,
        ANTHROPIC_API_KEY: 'key',
        GITHUB_TOKEN: 'secret',
      },
    });
    const starts = async () =>
      (await readFile(record, 'utf8').catch(() => ''))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Start);
    await use(world, world.turn({ backend: 'claude' }), starts);
  });
}

const isAlive = async (pid: number) => (await identityOf(pid)) !== undefined;

describe('a turn of the claude program', () => {
  it('works in the workspace and gives result, report, tokens and cost (#79, #80)', async () => {
    await withClaude('succeeds', async (world, turn, starts) => {
      const outcome = await world.run(turn);
      expect(outcome).toMatchObject({
        kind: 'ok',
        result: 'PASS',
        usage: { turns: 2, inputTokens: 121, outputTokens: 10, costUsd: 0.25 },
      });
      expect(await readFile(outcome.report ?? '', 'utf8')).toBe('One file made.\n');
      expect(await world.read('workspace/made.txt')).toBe('by claude\n');
      const [start] = await starts();
      expect(start?.cwd).toBe(world.place.workspace);
      expect(start?.prompt).toContain('Do AB-1.');
      const role = start?.args[start.args.indexOf('--append-system-prompt-file') + 1] ?? '';
      expect(await readFile(role, 'utf8')).toContain('You are audit.');
    });
  });

  it('gives the agent the key of the model and no other secret', async () => {
    await withClaude('succeeds', async (world, turn, starts) => {
      await world.run(turn);
      const [start] = await starts();
      expect(start?.environment).toMatchObject({
        ANTHROPIC_API_KEY: 'key',
        CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
      });
      expect(start?.environment).not.toHaveProperty('GITHUB_TOKEN');
    });
  });

  it('resumes its session after the worker was stopped, and says why', async () => {
    await withClaude('resumes', async (world, turn, starts) => {
      const activity = world.begin(turn);
      await until('the first answer', () => activity.beats.at(-1)?.['lastText'] === 'I begin.');
      activity.cancel({ workerShutdown: true });
      await expect(activity.result).rejects.toThrow('WORKER_SHUTDOWN');
      const outcome = await world.run(turn, 2);

      expect(outcome).toMatchObject({ kind: 'ok', result: 'FIX' });
      // Tokens of the run that was ended are counted from its stream; its price nobody told.
      expect(outcome.usage).toMatchObject({ turns: 2, inputTokens: 121, outputTokens: 10 });
      const [first, second] = await starts();
      expect(first?.args).toEqual(expect.arrayContaining(['--session-id', turn.sessionId]));
      expect(second?.args).toEqual(expect.arrayContaining(['--resume', turn.sessionId]));
      expect(second?.args).not.toContain('--append-system-prompt-file');
      expect(second?.prompt).toContain('You were interrupted');
      expect(await isAlive(first?.pid ?? 0)).toBe(false);
    });
  });

  it('charges a turn that is read again only with its own part of the total', async () => {
    await withClaude('tells-totals', async (world, turn) => {
      const again = { ...turn, key: 'audit-1700000100/0-work-1/life', continues: true };
      expect((await world.run(turn)).usage.costUsd).toBeCloseTo(0.75);
      const first = await world.run(again);
      expect(first.usage.costUsd).toBeCloseTo(0.25);
      // As if the worker had been killed between the end of the agent and the record.
      await rm(path.join(turnFolder(world.place.workerDir, again.key), 'finished.json'));
      expect((await world.run(again, 2)).usage).toEqual(first.usage);
    });
  });

  it('charges what an interrupted attempt had told already only once', async () => {
    await withClaude('tells-totals', async (world, turn) => {
      Object.assign(world.host.environment, { CLAUDE_FAKE_STAYS: '1' });
      const activity = world.begin(turn);
      await until('the price is told', () => activity.beats.at(-1)?.['costUsd'] === 0.75);
      activity.cancel({ workerShutdown: true });
      await expect(activity.result).rejects.toThrow('WORKER_SHUTDOWN');
      Object.assign(world.host.environment, { CLAUDE_FAKE_STAYS: '' });
      expect((await world.run(turn, 2)).usage.costUsd).toBeCloseTo(1);
    });
  });

  it.each([
    ['max-turns', { kind: 'max-turns' }],
    ['usage-limit', { kind: 'limit', resetsAt: '2030-01-01T00:00:00.000Z' }],
    ['overloaded', { kind: 'transient', reason: expect.stringContaining('529') }],
    ['wrong-key', { kind: 'auth', reason: expect.stringContaining('Invalid API key') }],
    ['not-logged-in', { kind: 'auth' }],
    ['no-credit', { kind: 'auth' }],
    ['unknown-model', { kind: 'config' }],
    ['interrupted-with-zero', { kind: 'agent-failed' }],
    ['result-with-error', { kind: 'agent-failed' }],
    ['crashes', { kind: 'agent-failed', reason: expect.stringContaining('SIGKILL') }],
  ])('judges the end of %s', async (behaviour, expected) => {
    await withClaude(behaviour, async (world, turn) => {
      expect(await world.run(turn)).toMatchObject(expected);
    });
  });

  it("takes a helper's words for no verdict (#80)", async () => {
    await withClaude('helper-speaks', async (world, turn) => {
      expect(await world.run(turn)).toMatchObject({ kind: 'ok', result: 'FIX' });
    });
  });

  it('reads on after broken bytes, cut lines and lines without an end', async () => {
    await withClaude('writes-garbage', async (world, turn) => {
      const activity = world.begin(turn);
      expect(await activity.result).toMatchObject({ kind: 'ok', result: 'PASS' });
    });
  });

  it('ends all that the agent left behind, and keeps its verdict', async () => {
    await withClaude('leaves-children', async (world, turn) => {
      const outcome = await world.run(turn);
      expect(outcome).toMatchObject({ kind: 'ok', result: 'PASS' });
      const pids = (await world.read('workspace/pids')).trim().split('\n').map(Number);
      expect(pids).toHaveLength(4);
      expect(await Promise.all(pids.map(isAlive))).toEqual([false, false, false, false]);
    });
  });

  it('ends an agent that ignores SIGTERM when it is cancelled', async () => {
    await withClaude('ignores-sigterm', async (world, turn, starts) => {
      const activity = world.begin(turn);
      await until('the first answer', () => activity.beats.at(-1)?.['lastText'] === 'I stay.');
      activity.cancel({ cancelRequested: true });
      await expect(activity.result).rejects.toThrow('CANCELLED');
      expect(await isAlive((await starts())[0]?.pid ?? 0)).toBe(false);
    });
  });

  it('stops a flood at its limit, with little memory', async () => {
    await withClaude('floods-stdout', async (world, turn) => {
      const before = process.memoryUsage().rss;
      const outcome = await world.run(turn);
      expect(outcome).toMatchObject({ kind: 'agent-failed' });
      expect((await stat(outcome.log)).size).toBeLessThan(1 << 30);
      expect(process.memoryUsage().rss - before).toBeLessThan(200 << 20);
    });
  }, 60_000);
});
