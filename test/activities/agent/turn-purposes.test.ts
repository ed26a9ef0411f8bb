import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { AgentTurn } from '../../../workflows/domain/agent.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';

const SCENARIO = `
agents:
  audit:
    - iterations:
        - [{ say: looking }, { forget_result: FIX }]
      summary: "Completed: half. In Progress: the rest."
`;

/** A turn after the first work turn of a run, in the same session. */
function later(world: AgentWorld, number: number, changes: Partial<AgentTurn>): AgentTurn {
  const { purpose = 'work', iteration = 0 } = changes;
  const key = `audit-1700000100/${iteration}-${purpose}-${number}/life`;
  return world.turn({ key, continues: true, ...changes });
}

const promptOf = async ({ log }: { log: string }) => {
  const [first = ''] = (await readFile(log, 'utf8')).split('\n');
  return (JSON.parse(first) as { prompt: string }).prompt;
};

describe('a summary turn', () => {
  it('leaves the summary of the iteration where the next one looks for it (#90)', async () => {
    await withAgents(async (world) => {
      const script = await world.script(SCENARIO);
      await world.run(world.turn({ agent: 'test.loop', script }));
      const turn = later(world, 1, { agent: 'test.loop', purpose: 'summary', script });
      const outcome = await world.run(turn);

      expect(outcome).toMatchObject({ kind: 'ok', sessionId: turn.sessionId });
      expect(outcome.report).toBeUndefined();
      const text = await world.read('summaries/audit-1700000100/audit-0-summary.txt');
      for (const heading of ['Completed', 'In Progress', 'Blocked', 'Next Steps'])
        expect(text).toContain(heading);
      expect(text).toContain('half');
    });
  });

  it('leaves a file with its headings also when nothing was said (#90)', async () => {
    await withAgents(async (world) => {
      const silent = 'agents: { audit: [{ iterations: [[{ fail: x }]], summary: "" }] }';
      const script = await world.script(silent);
      await world.run(world.turn({ agent: 'test.loop', script }));
      await world.run(later(world, 1, { agent: 'test.loop', purpose: 'summary', script }));
      const text = await world.read('summaries/audit-1700000100/audit-0-summary.txt');
      expect(text).toMatch(/## Completed\n\nNot said\..*## Next Steps/s);
    });
  });

  it('continues a session that ran out of turns, which is no failure (#197)', async () => {
    await withAgents(async (world) => {
      const script = await world.script(
        'agents: { audit: [[{ say: half }, { max_turns: true }]] }',
      );
      const work = await world.run(world.turn({ agent: 'test.loop', script }));
      const turn = later(world, 1, { agent: 'test.loop', purpose: 'summary', script });
      const summary = await world.run(turn);

      expect(work).toMatchObject({ kind: 'max-turns', complete: false });
      expect(summary).toMatchObject({ kind: 'ok', sessionId: work.sessionId });
      expect((await world.ledger()).map(({ event }) => event)).toContain('resume');
      const log = await world.read('activity.jsonl');
      expect(log).toContain('"exit_code":0');
      expect(log).not.toContain('"event":"error"');
    });
  });

  it('fails without a session to sum up, and leaves the file all the same (#90)', async () => {
    await withAgents(async (world) => {
      const outcome = await world.run(later(world, 1, { agent: 'test.loop', purpose: 'summary' }));
      expect(outcome).toMatchObject({
        kind: 'agent-failed',
        reason: expect.stringContaining('is not there any more'),
      });
      const text = await world.read('summaries/audit-1700000100/audit-0-summary.txt');
      expect(text).toContain('## Next Steps');
    });
  });
});

describe('a turn that asks for the result', () => {
  it('continues the session with the valid values, and takes the answer (#81)', async () => {
    await withAgents(async (world) => {
      const script = await world.script(SCENARIO);
      const work = await world.run(world.turn({ script }));
      const asked = await world.run(later(world, 1, { purpose: 'ask-result', script }));

      expect(work.result).toBeUndefined();
      expect(asked).toMatchObject({ kind: 'ok', result: 'FIX', complete: true });
      expect(await promptOf(asked)).toMatch(
        /<result>PASS<\/result>\n<result>FIX<\/result>\n<result>FAIL<\/result>$/,
      );
      const events = (await world.ledger()).map(({ event }) => event);
      expect(events.filter((event) => event !== 'step')).toEqual(['start', 'end', 'resume', 'end']);
    });
  });

  it('lets an agent in a loop say that it is not finished', async () => {
    await withAgents(async (world) => {
      const script = await world.script(SCENARIO);
      await world.run(world.turn({ agent: 'test.loop', script }));
      const turn = later(world, 1, { agent: 'test.loop', purpose: 'ask-result', script });
      expect(await promptOf(await world.run(turn))).toContain('`not finished`');
    });
  });
});

describe('a work turn', () => {
  it('tells the next iteration of a loop where it stands, in a new session (#71)', async () => {
    await withAgents(async (world) => {
      const sessionId = '99999999-2222-4333-8444-555555555555';
      const turn = later(world, 2, {
        agent: 'test.loop',
        iteration: 1,
        sessionId,
        continues: false,
      });
      const prompt = await promptOf(await world.run(turn));
      expect(prompt).toContain('Do AB-1.');
      expect(prompt).toContain('Go on with 0.');
    });
  });

  it('goes on behind a usage limit instead of hitting it again', async () => {
    await withAgents(async (world) => {
      const script = await world.script(
        'agents: { audit: [[{ append: { path: a.txt, content: x } }, { limit: true }, { result: PASS }]] }',
      );
      expect(await world.run(world.turn({ script }))).toMatchObject({ kind: 'limit' });
      const again = await world.run(later(world, 1, { script }));

      expect(again).toMatchObject({ kind: 'ok', result: 'PASS' });
      expect(await promptOf(again)).toContain('You were interrupted');
      expect(await world.read('workspace/a.txt')).toBe('x');
    });
  });

  it('begins a session that should be there and is not', async () => {
    await withAgents(async (world) => {
      const outcome = await world.run(later(world, 1, {}));
      expect(outcome).toMatchObject({ kind: 'ok' });
      expect(await promptOf(outcome)).toContain('Do AB-1.');
    });
  });

  it('counts open items of a checklist, and gives up only when the agent does (#86)', async () => {
    await withAgents(async (world) => {
      const changes = { agent: 'test.checklist', stepId: 'execution' };
      const run = async (number: number, actions: string) => {
        const script = await world.script(`agents: { execution: [[${actions}]] }`);
        const { complete, result } = await world.run(
          world.turn({
            ...changes,
            script,
            key: `execution-1/${number}-work-0/life`,
            runId: `execution-${number}`,
            sessionId: `0000000${number}-2222-4333-8444-555555555555`,
          }),
        );
        return { complete, result };
      };
      expect(await run(1, '{ tick_prd: 1 }, { result: PASS }')).toEqual({ complete: false });
      expect(await run(2, '{ result: FAIL }')).toEqual({ complete: false, result: 'FAIL' });
      expect(await run(3, '{ tick_prd: all }, { no_result: true }')).toEqual({
        complete: true,
        result: 'PASS',
      });
    });
  });

  it('looks for the file that a planner owes (#89)', async () => {
    await withAgents(async (world) => {
      const script = await world.script('agents: { audit: [[{ result: PASS }]] }');
      const turn = world.turn({ agent: 'test.planner', script });
      expect(await world.run(turn)).toMatchObject({ complete: false, result: 'PASS' });
      await mkdir(path.join(world.place.workerDir, 'output'), { recursive: true });
      await writeFile(path.join(world.place.workerDir, 'output', 'plan.md'), 'a plan');
      expect(await world.run(later(world, 1, { agent: 'test.planner', script }))).toMatchObject({
        complete: true,
      });
    });
  });
});

describe('an agent that continues the session of its parent', () => {
  const heir = (world: AgentWorld, script: string, number = 0) =>
    world.turn({
      agent: 'test.heir',
      stepId: 'summary',
      runId: 'summary-1700000200',
      key: `summary-1700000200/0-work-${number}/life`,
      continues: true,
      parent: { stepId: 'audit', runId: 'audit-1700000100' },
      script,
    });

  it('says its prompt to that session', async () => {
    await withAgents(async (world) => {
      const script = await world.script('agents: { summary: [[{ say: short }]] }');
      await world.run(world.turn({ script }));
      const outcome = await world.run(heir(world, script));

      expect(outcome).toMatchObject({ kind: 'ok', result: 'PASS' });
      const prompt = await promptOf(outcome);
      expect(prompt).toContain('Do AB-1.');
      expect(prompt).not.toContain('interrupted');
    });
  });

  it('repeats its prompt when the session was stopped before it could answer', async () => {
    await withAgents(async (world) => {
      const script = await world.script('agents: { summary: [[{ limit: true }, { say: short }]] }');
      await world.run(world.turn({ script }));
      expect(await world.run(heir(world, script))).toMatchObject({ kind: 'limit' });
      const prompt = await promptOf(await world.run(heir(world, script, 1)));
      expect(prompt).toMatch(/You were interrupted.*Do AB-1\./s);
    });
  });

  it('names the session that is missing (#74)', async () => {
    await withAgents(async (world) => {
      const outcome = await world.run(heir(world, await world.script('')));
      expect(outcome).toMatchObject({
        kind: 'config',
        reason: expect.stringContaining('session 11111111-2222-4333-8444-555555555555 of audit'),
      });
    });
  });
});

it('never writes two turns or attempts into one log (#85)', async () => {
  await withAgents(async (world) => {
    const script = await world.script(SCENARIO);
    await world.run(world.turn({ script }));
    await world.run(later(world, 1, { purpose: 'ask-result', script }));
    await world.run(later(world, 2, { purpose: 'ask-result', script }));
    expect(
      (await readdir(path.join(world.place.workerDir, 'logs', 'audit-1700000100'))).sort(),
    ).toEqual([
      'audit-0-ask-result-1-life.log',
      'audit-0-ask-result-2-life.log',
      'audit-0-work-0-life.log',
    ]);
  });
});
