import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { finishedTurns, writeFinished } from '../../../activities/agent/finished-record.ts';
import { readAnswer } from '../../../activities/agent/supervisor-answer.ts';
import { supervisorPrompts } from '../../../activities/agent/supervisor-prompt.ts';
import type { AgentTurn } from '../../../workflows/domain/agent.ts';
import { NO_USAGE } from '../../../workflows/domain/usage.ts';
import { anAgent } from '../../helpers/an-agent.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';

const RUN = 'audit-1700000100';

const put = async (world: AgentWorld, name: string, text: string) => {
  const file = path.resolve(world.place.workerDir, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
};

const summary = (world: AgentWorld, number: number, text: string) =>
  put(world, `summaries/${RUN}/audit-${number}-summary.txt`, text);

/** What a supervisor is told after iteration 2 of the loop. */
async function look(world: AgentWorld, changes: Partial<AgentTurn> = {}) {
  const turn = world.turn({
    purpose: 'supervise',
    iteration: 1,
    key: `${RUN}/2-supervise-4/life`,
    limits: { maxTurns: 30, timeoutSeconds: 600, maxIterations: 20, maxRestarts: 2 },
    ...changes,
  });
  const finished = await finishedTurns(world.place.workerDir);
  return supervisorPrompts(anAgent({ type: 'test.loop', mode: 'ralph_loop' }), turn, finished);
}

describe('what a supervisor is told', () => {
  it('is the goal: the requirements and what the agent is for (#217)', async () => {
    await withAgents(async (world) => {
      const { user } = await look(world);
      expect(user).toContain('test.loop: An agent of a test.');
      expect(user).toContain(path.join(world.place.workerDir, 'prd.md'));
      expect(user).toContain('- [ ] one\n- [ ] two');
    });
  });

  it('is what the latest iterations say, by path and by content (#217)', async () => {
    await withAgents(async (world) => {
      const first = await summary(world, 0, '## Completed\nthe door {{task_id}}\n');
      const second = await summary(world, 1, '## Completed\nthe window\n');
      const { user } = await look(world);
      for (const text of [first, second, 'the door {{task_id}}', 'the window'])
        expect(user).toContain(text);
      expect(user.indexOf(first)).toBeLessThan(user.indexOf(second));
    });
  });

  it('is how far the loop has come and what it has cost (#217)', async () => {
    await withAgents(async (world) => {
      for (const [key, runId] of [
        [`${RUN}/0-work-0/life`, RUN],
        [`${RUN}/0-summary-1/life`, RUN],
        ['other-1/0-work-0/life', 'other-1'],
      ] as const)
        await writeFinished(world.turn({ key, runId }), {
          kind: 'ok',
          complete: false,
          log: '',
          sessionId: 's',
          usage: { ...NO_USAGE, turns: 20, costUsd: 0.56 },
          startedAt: '2026-01-01T00:00:00.000Z',
          endedAt: '2026-01-01T00:00:00.000Z',
        });
      const { user } = await look(world, { restarts: 1 });
      expect(user).toContain('Iterations ended: 2 of at most 20.');
      expect(user).toContain('Begun anew by a supervisor: once, of at most 2.');
      expect(user).toContain('40 turns of the model, $1.12.');
    });
  });

  it('is bounded, the newest summary first', async () => {
    await withAgents(async (world) => {
      await put(world, 'prd.md', `# PRD\n${'ü'.repeat(50_000)}`);
      await summary(world, 0, `old ${'x'.repeat(30_000)}`);
      await summary(world, 1, `new ${'y'.repeat(15_000)} newest`);
      const { user } = await look(world);
      expect(Buffer.byteLength(user)).toBeLessThan(40_000);
      expect(user).toContain('y newest');
      expect(user).toContain('old xxx');
      expect(user.match(/\[cut here/g)).toHaveLength(2);
      expect(user).not.toContain('\uFFFD');
    });
  });

  it('is what the agent was told before, and where earlier looks are', async () => {
    await withAgents(async (world) => {
      const earlier = await put(world, `supervisors/${RUN}-2-review.md`, 'a');
      const later = await put(world, `supervisors/${RUN}-10-review.md`, 'b');
      const other = await put(world, `supervisors/audit-fix-1700000100-2-review.md`, 'c');
      const { user } = await look(world, { guidance: 'Leave  the door alone.' });
      expect(user).toContain('<told>\nLeave  the door alone.\n</told>');
      expect(user.indexOf(earlier)).toBeGreaterThan(0);
      expect(user.indexOf(earlier)).toBeLessThan(user.indexOf(later));
      expect(user).not.toContain(other);
    });
  });

  it('is that no restart is left, when none is (#93)', async () => {
    await withAgents(async (world) => {
      expect((await look(world, { restarts: 1 })).user).not.toContain('No restart is left');
      expect((await look(world, { restarts: 2 })).user).toContain('No restart is left');
    });
  });

  it('makes it look, not change', async () => {
    await withAgents(async (world) => {
      const { system } = await look(world);
      expect(system).toMatch(/Look, do not change.*You cannot run commands/s);
    });
  });

  it('holds no example that could be taken for a decision (#94)', async () => {
    await withAgents(async (world) => {
      const { system, user } = await look(world);
      expect(user).toMatch(/<review>.*<\/review>\n<guidance>.*<\/guidance>\n<decision>/s);
      for (const kind of ['CONTINUE', 'STOP', 'RESTART'])
        expect(system + user).not.toContain(`<decision>${kind}</decision>`);
      expect(readAnswer(user).decision.kind).toBe('CONTINUE');
    });
  });

  it('leaves out what is not there', async () => {
    await withAgents(async (world) => {
      const prd = await put(world, 'prd.md', '');
      await writeFile(prd, '');
      const { user } = await look(world, { iteration: 0 });
      expect(user).not.toMatch(/What the agent says|was told|Earlier looks|undefined|NaN/);
    });
  });
});
