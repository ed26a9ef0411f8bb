import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readLease } from '../../../activities/agent/attempt-records.ts';
import { lastCheckpoint } from '../../../activities/agent/checkpoint-record.ts';
import { turnFolder } from '../../../activities/agent/lease.ts';
import { createWorkspace } from '../../../activities/git/workspace.ts';
import type { AgentTurn } from '../../../workflows/domain/agent.ts';
import { until } from '../../helpers/until.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';
import { withRepository } from '../../helpers/with-repository.ts';

type Json = Record<string, unknown>;

const checkpoint = async (turn: AgentTurn) =>
  JSON.parse(
    await readFile(
      path.join(
        turn.place.workerDir,
        'checkpoints',
        turn.runId,
        `checkpoint-${turn.iteration}.json`,
      ),
      'utf8',
    ),
  ) as Json;

const actions = (world: AgentWorld, list: string) => world.script(`agents: { audit: [[${list}]] }`);

/** A turn after the work of the same iteration, in its session. */
const after = (turn: AgentTurn, purpose: AgentTurn['purpose']): AgentTurn => ({
  ...turn,
  purpose,
  key: turn.key.replace('work', purpose),
  continues: purpose !== 'supervise',
  ...(purpose === 'supervise' && { sessionId: '44444444-2222-4333-8444-555555555555' }),
});

const later = (turn: AgentTurn, epoch: number, changes: Partial<AgentTurn> = {}): AgentTurn => ({
  ...turn,
  runId: `${turn.stepId}-${epoch}`,
  key: `${turn.stepId}-${epoch}/0-work-0/life`,
  sessionId: `55555555-2222-4333-8444-${String(epoch).padStart(12, '0')}`,
  ...changes,
});

describe('the checkpoint of an iteration', () => {
  it('tells what changed and what is done and open, from git and requirements (#187)', async () => {
    await withRepository(async (project) => {
      await withAgents(async (world) => {
        const place = project.place('AB-1');
        await createWorkspace(place);
        await cp(world.place.ralphDir, place.ralphDir, { recursive: true });
        await writeFile(
          path.join(place.workerDir, 'prd.md'),
          '- [ ] one\n- [ ] two\n- [ ] three\n',
        );
        const script = await actions(
          world,
          '{ tick_prd: 2 }, { append: { path: README.md, content: more } }, { write: { path: new/file.txt, content: x } }, { run: "git -c user.name=a -c user.email=a@b commit -qam kept" }, { delete: src/app.txt }, { say: "Two of three." }, { no_result: true }',
        );
        const turn = world.turn({ place, agent: 'test.loop', script });
        await world.run(turn);

        expect(await checkpoint(turn)).toEqual({
          version: '1.0',
          iteration: 0,
          session_id: turn.sessionId,
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
          status: 'in_progress',
          worker_id: 'worker-AB-1-1700000000',
          task_id: 'AB-1',
          step_id: 'audit',
          run_id: turn.runId,
          files_modified: ['README.md', 'new/file.txt', 'src/app.txt'],
          completed_tasks: ['one', 'two'],
          next_steps: ['three'],
          prose_summary: 'Two of three.',
          plan_file: path.join(place.ralphDir, 'plans', 'AB-1.md'),
        });
      });
    });
  });

  it.each([
    ['completed', '{ result: PASS }'],
    ['completed', '{ result: FIX }'],
    ['failed', '{ result: FAIL }'],
    ['failed', '{ fail: broken }'],
    ['in_progress', '{ max_turns: true }'],
    ['interrupted', '{ limit: true }'],
  ])('is %s after %s (#187)', async (status, list) => {
    await withAgents(async (world) => {
      const turn = world.turn({ agent: 'test.loop', script: await actions(world, list) });
      await world.run(turn);
      expect(await checkpoint(turn)).toMatchObject({ status });
    });
  });

  it('is refined by the summary, the result asked for and the supervisor (#187)', async () => {
    await withAgents(async (world) => {
      const script = await world.script(`
agents:
  audit:
    - iterations: [[{ say: working }, { forget_result: PASS }]]
      summary: "## Completed\\n- the parser\\n## In Progress\\n- nothing\\n## Blocked\\n## Next Steps\\n1. the tests\\n2. the docs"
      supervisor: [{ decision: CONTINUE, guidance: Mind the edge cases. }]
`);
      const turn = world.turn({ agent: 'test.loop', script });
      await world.run(turn);
      await world.run(after(turn, 'summary'));
      const summed = await checkpoint(turn);
      expect(summed).toMatchObject({
        status: 'in_progress',
        completed_tasks: ['the parser'],
        next_steps: ['the tests', 'the docs'],
        prose_summary: expect.stringContaining('## Completed'),
      });
      await world.run(after(turn, 'supervise'));
      expect(await checkpoint(turn)).toMatchObject({
        session_id: turn.sessionId,
        next_steps: ['the tests', 'the docs'],
        supervisor_decision: 'CONTINUE',
        supervisor_guidance: 'Mind the edge cases.',
      });
      await world.run(after(turn, 'ask-result'));
      expect(await checkpoint(turn)).toMatchObject({
        status: 'completed',
        completed_tasks: ['the parser'],
        supervisor_decision: 'CONTINUE',
      });
    });
  });

  it('says that the work was interrupted when it was cancelled (#187)', async () => {
    await withAgents(async (world) => {
      const script = await actions(world, '{ say: half of it }, { hang: true }');
      const turn = world.turn({ script });
      const activity = world.begin(turn);
      await until('the agent to hang', async () =>
        (await world.ledger()).some(({ action }) => action === 'hang'),
      );
      activity.cancel({ cancelRequested: true });
      await expect(activity.result).rejects.toThrow('CANCELLED');
      expect(await checkpoint(turn)).toMatchObject({
        status: 'interrupted',
        prose_summary: 'half of it',
        next_steps: ['one', 'two'],
      });
    });
  });

  it('is written by the next attempt when nobody was left to write it (#187)', async () => {
    await withAgents(async (world) => {
      const turn = world.turn({
        script: await actions(world, '{ say: half of it }, { wait_for: go }, { result: PASS }'),
      });
      const activity = world.begin(turn);
      await until('the agent to wait', async () =>
        (await world.ledger()).some(({ action }) => action === 'wait_for'),
      );
      const folder = path.join(turnFolder(world.place.workerDir, turn.key), 'attempt-1');
      process.kill((await readLease(folder))?.keeper?.pid ?? 0, 'SIGKILL');
      await expect(activity.result).rejects.toThrow('keeper-died');
      await expect(checkpoint(turn)).rejects.toThrow('ENOENT');
      const second = world.begin(turn, 2);
      await until('the second agent', async () =>
        (await world.ledger()).some(({ event }) => event === 'resume'),
      );
      const between = await checkpoint(turn).catch(() => undefined);
      await writeFile(path.join(world.place.workspace, 'go'), '');
      await second.result;
      expect(between).toMatchObject({ status: 'interrupted', prose_summary: 'half of it' });
      expect(await checkpoint(turn)).toMatchObject({ status: 'completed' });
    });
  });
});

describe('the last checkpoint of a step', () => {
  it('is that of its newest earlier run, and the next run is told of it (#187)', async () => {
    await withAgents(async (world) => {
      const script = await actions(world, '{ max_turns: true }');
      const first = world.turn({ agent: 'test.loop', script });
      await world.run(first);
      await world.run(later(first, 1700000150));
      await world.run(later(first, 1700000160, { stepId: 'docs', runId: 'docs-1700000160' }));
      const third = later(first, 1700000200);
      const newest = path.join(
        world.place.workerDir,
        'checkpoints/audit-1700000150/checkpoint-0.json',
      );
      expect(await lastCheckpoint(third)).toBe(newest);
      const { log } = await world.run(third);
      expect(await readFile(log, 'utf8')).toContain(newest);
    });
  });

  it('is none when that run had come to its end (#187)', async () => {
    await withAgents(async (world) => {
      const unfinished = world.turn({ script: await actions(world, '{ max_turns: true }') });
      await world.run(unfinished);
      const finished = { script: await actions(world, '{ result: PASS }') };
      await world.run(later(unfinished, 1700000150, finished));
      expect(await lastCheckpoint(later(unfinished, 1700000200))).toBeUndefined();
    });
  });

  it.each([
    ['cut', '{"version": "1.0", "iter'],
    ['of another form', '{"version": "2.0"}'],
    ['empty', ''],
  ])('passes over a file that is %s (#187, #210)', async (_title, text) => {
    await withAgents(async (world) => {
      const turn = world.turn();
      const folder = path.join(world.place.workerDir, 'checkpoints', 'audit-1700000050');
      await mkdir(folder, { recursive: true });
      await writeFile(path.join(folder, 'checkpoint-0.json'), text);
      await mkdir(path.join(folder, 'checkpoint-1.json'));
      expect(await lastCheckpoint(turn)).toBeUndefined();
    });
  });
});
