import { execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { AgentOutcome, AgentTurn } from '../../../../workflows/domain/agent.ts';
import { packageRoot } from '../../../../config/package-root.ts';
import { until } from '../../../helpers/until.ts';
import { withAgents, type AgentWorld } from '../../../helpers/with-agents.ts';

const PROGRAM = path.join(packageRoot(), 'activities/agent/script/script-agent-main.mjs');

/** Lets the agent of the step `audit` do some actions, each a line of YAML. */
async function play(
  world: AgentWorld,
  actions: string[],
  changes: Partial<AgentTurn> = {},
): Promise<AgentOutcome> {
  const lines = actions.map((action) => `        - ${action}\n`).join('');
  const script = await world.script(`agents:\n  audit:\n    - iterations:\n      -\n${lines}`);
  return world.run(world.turn({ script, ...changes }));
}

const eventsOf = async ({ log }: AgentOutcome) =>
  (await readFile(log, 'utf8'))
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('the scripted agent', () => {
  it('edits files of the workspace', async () => {
    await withAgents(async (world) => {
      const outcome = await play(world, [
        'write: { path: src/a.txt, content: "one\\n" }',
        'append: { path: src/a.txt, content: "two\\n" }',
        'append: { path: new/b.txt, content: b }',
        'replace: { path: src/a.txt, find: one, with: "$& {{task_id}}" }',
        'write: { path: old/c.txt, content: c }',
        'delete: old',
      ]);
      expect(outcome).toMatchObject({ kind: 'ok', result: 'PASS' });
      expect(await world.read('workspace/src/a.txt')).toBe('$& AB-1\ntwo\n');
      expect(await world.read('workspace/new/b.txt')).toBe('b');
      expect((await readdir(world.place.workspace)).sort()).toEqual(['new', 'src']);
    });
  });

  it('fails when what it should replace is not there', async () => {
    await withAgents(async (world) => {
      const outcome = await play(world, ['replace: { path: a.txt, find: one, with: two }']);
      expect(outcome).toMatchObject({
        kind: 'agent-failed',
        reason: expect.stringContaining('a.txt does not contain'),
      });
    });
  });

  it('runs commands in the workspace, and fails when one fails', async () => {
    await withAgents(async (world) => {
      const good = await play(world, ['run: "pwd > where"', 'result: FIX']);
      expect(good).toMatchObject({ kind: 'ok', result: 'FIX' });
      expect(await world.read('workspace/where')).toBe(`${world.place.workspace}\n`);
      const tool = (await eventsOf(good)).find(({ type }) => type === 'tool');
      expect(tool).toMatchObject({ name: 'Bash', command: 'pwd > where', exit: 0 });

      const changes = { sessionId: 'other', key: 'audit-1700000100/0-work-1/life' };
      expect(await play(world, ['run: "exit 3"'], changes)).toMatchObject({
        kind: 'agent-failed',
        reason: expect.stringContaining('`exit 3` failed (3)'),
      });
    });
  });

  it('ends with another result when a command fails that may', async () => {
    await withAgents(async (world) => {
      const outcome = await play(world, [
        'run: "false"\n          on_failure: FIX',
        'write: { path: never.txt, content: x }',
      ]);
      expect(outcome).toMatchObject({ kind: 'ok', result: 'FIX' });
      expect(await readdir(world.place.workspace)).toEqual([]);
    });
  });

  it('ticks items of the requirements', async () => {
    await withAgents(async (world) => {
      await play(world, ['tick_prd: 1']);
      expect(await world.read('prd.md')).toBe('# AB-1\n\n- [x] one\n- [ ] two\n');
      const changes = { sessionId: 'other', key: 'audit-1700000100/0-work-1/life' };
      await play(world, ['tick_prd: all'], changes);
      expect(await world.read('prd.md')).toBe('# AB-1\n\n- [x] one\n- [x] two\n');
    });
  });

  it('tells tools, costs and tokens as they come, and their sum at the end', async () => {
    await withAgents(async (world) => {
      const outcome = await play(world, [
        'tool: Grep',
        'cost: 0.5',
        'tokens: { input: 7 }',
        'tokens: { output: 3 }',
        'cost: 0.25',
        'say: done',
      ]);
      expect(outcome.usage).toMatchObject({
        turns: 3,
        inputTokens: 7,
        outputTokens: 3,
        costUsd: 0.75,
      });
      expect((await eventsOf(outcome)).map(({ type }) => type)).toEqual([
        'session',
        'tool',
        'usage',
        'usage',
        'usage',
        'usage',
        'text',
        'text',
        'end',
      ]);
    });
  });

  it.each([
    ['transient: "too busy"', { kind: 'transient', reason: 'too busy (exit 1)' }],
    ['auth: "log in"', { kind: 'auth', reason: 'log in (exit 1)' }],
    ['limit: true', { kind: 'limit', reason: 'usage limit reached (exit 1)' }],
  ])('ends with what a model can meet: %s', async (action, expected) => {
    await withAgents(async (world) => {
      expect(await play(world, [action])).toMatchObject(expected);
    });
  });

  it('shows a tool that was not allowed', async () => {
    await withAgents(async (world) => {
      const outcome = await play(world, ['deny: Write', 'result: PASS']);
      expect(outcome).toMatchObject({ kind: 'ok', result: 'PASS' });
      const events = await eventsOf(outcome);
      expect(events.find(({ type }) => type === 'tool')).toMatchObject({ exit: 'refused' });
      expect(events.at(-1)).toMatchObject({ type: 'end', denied: ['Write'] });
    });
  });

  it('waits for a time or for a file', async () => {
    await withAgents(async (world) => {
      const begun = performance.now();
      const activity = play(world, ['wait: 0.4', 'wait_for: go.txt', 'result: FAIL']);
      await until('the wait', async () =>
        (await world.ledger()).some(({ action }) => action === 'wait_for'),
      );
      expect(performance.now() - begun).toBeGreaterThan(400);
      await writeFile(path.join(world.place.workspace, 'go.txt'), '');
      expect(await activity).toMatchObject({ result: 'FAIL' });
    });
  });

  it('passes by itself where nothing decides its end, and is done where nobody wrote a part', async () => {
    await withAgents(async (world) => {
      expect(await play(world, ['say: fine'])).toMatchObject({ result: 'PASS' });
      const other = world.turn({
        agent: 'test.checklist',
        stepId: 'x',
        sessionId: 's2',
        key: 'x/1',
      });
      expect(await world.run(other)).toMatchObject({ complete: true, result: 'PASS' });
      const planner = world.turn({
        agent: 'test.planner',
        stepId: 'y',
        sessionId: 's3',
        key: 'y/1',
      });
      expect(await world.run(planner)).toMatchObject({ complete: true, result: 'PASS' });
    });
  });

  it('gives no result, now or when asked, where the scenario says so', async () => {
    await withAgents(async (world) => {
      const script = await world.script('agents: { audit: [[{ no_result: true }]] }');
      expect((await world.run(world.turn({ script }))).result).toBeUndefined();
      const asked = world.turn({ script, key: 'audit/ask', purpose: 'ask-result' });
      expect((await world.run(asked)).result).toBeUndefined();
    });
  });

  it('fills the places of its turn into every text', async () => {
    await withAgents(async (world) => {
      const text = '{{task_id}} {{step_id}} {{run_id}} {{iteration}} {{visit}} {{unknown}}';
      await play(world, [`write: { path: "{{worker_dir}}/here", content: "${text}" }`]);
      expect(await world.read('here')).toBe('AB-1 audit audit-1700000100 0 1 {{unknown}}');
    });
  });
});

describe('a session of the scripted agent', () => {
  it('goes on at the action that it had not finished, and says its words again', async () => {
    await withAgents(async (world) => {
      const script = await world.script(
        'agents: { audit: [[{ say: first }, { append: { path: a, content: x } }, { result: FIX }, { wait_for: go }, { append: { path: a, content: y } }]] }',
      );
      const turn = world.turn({ script });
      const activity = world.begin(turn);
      await until('the wait', async () =>
        (await world.ledger()).some(({ action }) => action === 'wait_for'),
      );
      activity.cancel({ workerShutdown: true });
      await expect(activity.result).rejects.toThrow();
      await writeFile(path.join(world.place.workspace, 'go'), '');
      const outcome = await world.run(turn, 2);

      expect(outcome).toMatchObject({ kind: 'ok', result: 'FIX', usage: { turns: 4 } });
      expect(await world.read('workspace/a')).toBe('xy');
      const texts = (await eventsOf(outcome)).filter(({ type }) => type === 'text');
      expect(texts.map(({ text }) => text)).toEqual(['first', '<result>FIX</result>']);
      const steps = (await world.ledger()).filter(({ event }) => event === 'step');
      expect(steps.map(({ number }) => number)).toEqual([0, 1, 2, 3, 3, 4]);
    });
  });

  it('is refused when it is begun twice, or continued without being there', async () => {
    await withAgents(async (world) => {
      await world.run(world.turn());
      const leases = path.join(world.place.workerDir, 'leases');
      const [turn = ''] = await readdir(leases);
      const plan = path.join(leases, turn, 'attempt-1', 'script.json');
      const begin = () =>
        execFileSync(process.execPath, [PROGRAM, plan], { input: '', stdio: 'pipe' });
      expect(begin).toThrow(/already in use/);
      const started = JSON.parse(await readFile(plan, 'utf8')) as Record<string, unknown>;
      const other = { ...started, order: 'resume', sessionFile: `${plan}.session` };
      await writeFile(plan, JSON.stringify(other));
      expect(begin).toThrow(/there is no session/);
    });
  });

  it('is lost where the scenario says so, but the one in its place is not (#220)', async () => {
    await withAgents(async (world) => {
      const script = await world.script(
        'agents: { audit: [[{ lose_session: true }, { transient: busy }, { result: FIX }]] }',
      );
      const turn = world.turn({ script });
      const tries = ['first', 'second'].flatMap((sessionId) =>
        [1, 2].map((number) => ({ ...turn, sessionId, key: `audit/${sessionId}-${number}` })),
      );
      const outcomes = [];
      for (const each of tries) outcomes.push(await world.run(each));
      expect(outcomes).toMatchObject([
        { kind: 'transient' },
        { kind: 'session-lost', reason: 'there is no session first (exit 1)' },
        { kind: 'transient' },
        { kind: 'ok', result: 'FIX' },
      ]);
    });
  });

  it('writes a ledger of starts, actions and ends that several agents share', async () => {
    await withAgents(async (world) => {
      const outcome = await play(world, ['say: a', 'result: PASS']);
      expect(outcome.kind).toBe('ok');
      const names = { session: world.turn().sessionId, task: 'AB-1', step: 'audit' };
      expect(await world.ledger()).toMatchObject([
        {
          ...names,
          event: 'start',
          done: 0,
          prompt: expect.stringContaining('Do AB-1.'),
        },
        { ...names, event: 'step', number: 0, action: 'say' },
        { ...names, event: 'step', number: 1, action: 'result' },
        { ...names, event: 'end', ok: true },
      ]);
    });
  });
});

describe('the choice of a part', () => {
  const SCENARIO = `
agents:
  audit:
    - - result: FIX
    - - result: PASS
  test.once:
    - - result: FAIL
tasks:
  AB-1:
    other: [[{ result: FIX }]]
default:
  - iterations: [[{ say: one }, { result: FAIL }], [{ result: PASS }]]
`;

  it.each<[string, Partial<AgentTurn>, string]>([
    ['the first visit of a step', { visit: 1 }, 'FIX'],
    ['its second', { visit: 2 }, 'PASS'],
    ['the last for all that follow', { visit: 9 }, 'PASS'],
    ['the agent where the step has no part', { stepId: 'unknown' }, 'FAIL'],
    ['the task before everybody', { stepId: 'other' }, 'FIX'],
    ['the default for the rest', { stepId: 'x', agent: 'test.loop' }, 'FAIL'],
    [
      'another list for the next iteration',
      { stepId: 'x', agent: 'test.loop', iteration: 4 },
      'PASS',
    ],
  ])('is %s', async (_title, changes, expected) => {
    await withAgents(async (world) => {
      const script = await world.script(SCENARIO);
      expect(await world.run(world.turn({ script, ...changes }))).toMatchObject({
        result: expected,
      });
    });
  });

  it('names all problems of a scenario with their places', async () => {
    await withAgents(async (world) => {
      const script = await world.script('agents: { audit: [[{ sya: hello }, { wait: soon }]] }');
      const outcome = await world.run(world.turn({ script }));
      expect(outcome).toMatchObject({
        kind: 'config',
        reason: expect.stringMatching(/audit\[0\]\[0\].*sya.*audit\[0\]\[1\].*wait/s),
      });
    });
  });
});
