import { access, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import type { AgentOutcome, AgentTurn } from '../../workflows/domain/agent.ts';
import { startChild } from '../helpers/start-child.ts';
import { until } from '../helpers/until.ts';
import { EACH, type Move, type Stage, type WithStage } from './stage.ts';

const say = (text: string): Move => ({ kind: 'say', text });
const run = (command: string): Move => ({ kind: 'run', command });
const tag = (result: string) => `<result>${result}</result>`;

/** What holds for every backend: the same cases, whoever plays the model. */
export function backendContract(withStage: WithStage): void {
  it('starts a session, says the prompt and gives the result (#220, #79)', () =>
    withStage(async (stage) => {
      const turn = stage.turn();
      expect(await playOut(stage, turn, [say(`All is well. ${tag('PASS')}`)])).toEqual({
        kind: 'ok',
        result: 'PASS',
        complete: true,
        sessionId: turn.sessionId,
        log: expect.any(String),
        startedAt: expect.any(String),
        endedAt: expect.any(String),
        usage: usageOf(1),
      });
      expect(await stage.conversation()).toContain('Do AB-1.');
    }));

  it('lets the model use a tool in the workspace and counts each answer (#220)', () =>
    withStage(async (stage) => {
      const moves = [run('echo one >> a.txt; pwd'), run('cat a.txt'), say(tag('FIX'))];
      expect(await playOut(stage, stage.turn(), moves)).toMatchObject({
        kind: 'ok',
        result: 'FIX',
        usage: usageOf(3),
      });
      expect(await stage.world.read('workspace/a.txt')).toBe('one\n');
      expect(await stage.conversation()).toContain(stage.world.place.workspace);
    }));

  it('takes the last valid tag of several (#79)', () =>
    withStage(async (stage) => {
      const text = `${tag('FAIL')} no: ${tag('FIX')}, never ${tag('MAYBE')}`;
      expect(await playOut(stage, stage.turn(), [say(text)])).toMatchObject({
        kind: 'ok',
        result: 'FIX',
      });
    }));

  it('takes no tag from what a command printed (#80)', () =>
    withStage(async (stage) => {
      const moves = [run(`echo '${tag('PASS')}'`), say('I have seen it.')];
      const outcome = await playOut(stage, stage.turn(), moves);
      expect(outcome).toMatchObject({ kind: 'ok', complete: false });
      expect(outcome).not.toHaveProperty('result');
      expect(await stage.conversation()).toContain(tag('PASS'));
    }));

  it('asks the same session again for a tag that is missing (#81, #220)', () =>
    withStage(async (stage) => {
      const first = await playOut(stage, stage.turn(), [run('echo seen'), say('I am done.')]);
      expect(first).toMatchObject({ kind: 'ok', complete: false });
      expect(first).not.toHaveProperty('result');
      const ask = askAfter(stage.turn());
      expect(await playOut(stage, ask, [say(tag('FAIL'))])).toMatchObject({
        kind: 'ok',
        result: 'FAIL',
        complete: true,
        sessionId: ask.sessionId,
      });
      const conversation = await stage.conversation();
      for (const part of ['Do AB-1.', 'seen', 'I am done.', tag('PASS')])
        expect(conversation).toContain(part);
    }));

  it('has no result when the tag is missing again (#81)', () =>
    withStage(async (stage) => {
      await playOut(stage, stage.turn(), [say('I am done.')]);
      const again = await playOut(stage, askAfter(stage.turn()), [say('I said so.')]);
      expect(again).toMatchObject({ kind: 'ok', complete: false });
      expect(again).not.toHaveProperty('result');
    }));

  it('ends at its turns, and the session can be continued (#197, #220)', () =>
    withStage(async (stage) => {
      const turn = stage.turn();
      turn.limits.maxTurns = 2;
      expect(await playOut(stage, turn, [{ kind: 'never-ends' }])).toMatchObject({
        kind: 'max-turns',
        complete: false,
        sessionId: turn.sessionId,
      });
      const ask = askAfter(stage.turn());
      expect(await playOut(stage, ask, [say(tag('PASS'))])).toMatchObject({ result: 'PASS' });
    }));

  it('goes on in the same session after kill -9 of the worker, and does nothing twice (#220)', () =>
    withStage(async (stage) => {
      const { world } = stage;
      const turn = stage.turn();
      const waits = 'touch waits; while [ ! -e go ]; do sleep 0.1; done';
      await stage.play(turn, [run('echo one >> a.txt'), run(waits), say(tag('PASS'))]);
      const order = JSON.stringify({ turn, host: world.host, attempt: 1 });
      const worker = startChild('agent/runs-turn.mjs', [order]);
      try {
        await until('the second command', () => isThere(stage, 'waits'), 30_000);
      } finally {
        worker.process.kill('SIGKILL');
        await worker.ended;
      }
      await writeFile(path.join(world.place.workspace, 'go'), '');
      const outcome = await world.run(turn, 2);
      expect(outcome).toMatchObject({
        kind: 'ok',
        result: 'PASS',
        sessionId: turn.sessionId,
        usage: { turns: 3, inputTokens: 300, outputTokens: 150 },
      });
      expect(await world.read('workspace/a.txt')).toBe('one\n');
      const conversation = await stage.conversation();
      for (const part of ['Do AB-1.', 'echo one', 'You were interrupted'])
        expect(conversation).toContain(part);
    }));

  it('tells a session that is lost from a failure of the agent (#220)', () =>
    withStage(async (stage) => {
      await playOut(stage, stage.turn(), [say('I am done.')]);
      await writeFile(await stage.sessionFile(stage.turn()), 'spoilt\n');
      const ask = askAfter(stage.turn());
      expect(await playOut(stage, ask, [say(tag('PASS'))])).toMatchObject({
        kind: 'session-lost',
        reason: expect.stringContaining(ask.sessionId),
        complete: false,
        usage: { turns: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 },
      });
    }));

  it.each<[string, Move, string]>([
    ['429', { kind: 'busy', status: 429, message: 'Slow down' }, '429'],
    ['500', { kind: 'busy', status: 500, message: 'Broken' }, '500'],
    ['529', { kind: 'busy', status: 529, message: 'Overloaded' }, '529'],
    [
      'high concurrency under a status of its own',
      { kind: 'busy', status: 400, message: 'High concurrency usage of this API' },
      'High concurrency',
    ],
    ['no answer in time', { kind: 'silent' }, 'timed out'],
  ])('tells %s as a fault that passes (#145, #220)', (_title, move, said) =>
    withStage(async (stage) => {
      const turn = stage.turn();
      expect(await playOut(stage, turn, [move])).toMatchObject({
        kind: 'transient',
        reason: expect.stringContaining(said),
        complete: false,
        sessionId: turn.sessionId,
        usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
      });
    }),
  );

  it('goes on in the same session when the fault has passed, and counts nothing twice (#145, #220)', () =>
    withStage(async (stage) => {
      const turn = stage.turn();
      const fault: Move = { kind: 'busy', status: 529, message: 'Overloaded' };
      expect(await playOut(stage, turn, [run('echo one >> a.txt'), fault])).toMatchObject({
        kind: 'transient',
        usage: { inputTokens: 100, outputTokens: 50, costUsd: expect.closeTo(EACH.costUsd, 6) },
      });
      // What the workflow tries next is a turn of its own.
      const next = { ...turn, key: `${turn.key}-again`, continues: true };
      expect(await playOut(stage, next, [say(tag('PASS'))])).toMatchObject({
        kind: 'ok',
        result: 'PASS',
        usage: usageOf(1),
      });
      expect(await stage.world.read('workspace/a.txt')).toBe('one\n');
      expect(await stage.conversation()).toContain('echo one');
    }));

  it('tells when a usage limit ends (#220)', () =>
    withStage(async (stage) => {
      const resetsAt = '2030-01-01T00:00:00.000Z';
      const outcome = await playOut(stage, stage.turn(), [{ kind: 'used-up', resetsAt }]);
      expect(outcome).toMatchObject({ kind: 'limit', resetsAt, complete: false });
    }));

  it('tells that nobody is logged in (#220)', () =>
    withStage(async (stage) => {
      const outcome = await playOut(stage, stage.turn(), [{ kind: 'not-logged-in' }]);
      expect(outcome).toMatchObject({ kind: 'auth', complete: false });
    }));

  it.each<['a permission' | 'a hook', 'Write' | 'Bash']>([
    ['a permission', 'Write'],
    ['a hook', 'Bash'],
  ])('goes on without a tool that %s denies, and names it in the log (#220)', (by, tool) =>
    withStage(async (stage) => {
      if (by === 'a hook') await stage.guardCommands();
      const turn = stage.turn();
      const moves: Move[] = [{ kind: 'denied', tool }, say(tag('FIX'))];
      expect(await playOut(stage, turn, moves)).toMatchObject({
        kind: 'ok',
        result: 'FIX',
        usage: usageOf(2),
      });
      expect(await isThere(stage, 'forbidden.txt')).toBe(false);
      expect(await isThere(stage, '../../../../forbidden.txt')).toBe(false);
      const log = await readFile(path.join(turn.place.workerDir, 'activity.jsonl'), 'utf8');
      expect(log.split('\n').map((line) => JSON.parse(line || '{}') as object)).toContainEqual(
        expect.objectContaining({ event: 'agent.denied', message: `not allowed: ${tool}` }),
      );
    }),
  );
}

async function playOut(stage: Stage, turn: AgentTurn, moves: Move[]): Promise<AgentOutcome> {
  await stage.play(turn, moves);
  return stage.world.run(turn);
}

function askAfter(turn: AgentTurn): AgentTurn {
  const key = turn.key.replace('0-work-0', '0-ask-result-0');
  return { ...turn, key, purpose: 'ask-result', continues: true };
}

function usageOf(answers: number) {
  return expect.objectContaining({
    turns: answers,
    inputTokens: answers * EACH.inputTokens,
    outputTokens: answers * EACH.outputTokens,
    costUsd: expect.closeTo(answers * EACH.costUsd, 6),
  });
}

function isThere({ world }: Stage, file: string): Promise<boolean> {
  return access(path.resolve(world.place.workspace, file)).then(
    () => true,
    () => false,
  );
}
