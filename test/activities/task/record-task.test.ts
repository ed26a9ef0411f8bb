import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { recordTask, type EndedTask } from '../../../activities/task/record-task.ts';
import type { RunPlace } from '../../../workflows/domain/agent.ts';
import type { StepRecord } from '../../../workflows/domain/task.ts';
import { NO_USAGE } from '../../../workflows/domain/usage.ts';
import { withRepository, type TestProject } from '../../helpers/with-repository.ts';

const at = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;
const EPOCH = Date.parse(at(0)) / 1000;
const OUTPUTS = { pr_url: 'file:///pr/1', branch: 'task/TASK-001-1', commit_sha: 'c0ffee' };

const step = (name: string, from: number, to: number, more: Partial<StepRecord> = {}) => ({
  ...NO_USAGE,
  step: name,
  agent: `test.${name}`,
  runId: `${name}-${from}`,
  visit: 1,
  result: 'PASS',
  iterations: 2,
  startedAt: at(from),
  endedAt: at(to),
  ...more,
});

describe('recordTask', () => {
  it('has the result, pull request, branch, commit and the time of each step (#205)', () =>
    withEnd(async ({ end, results, read }) => {
      await end({
        steps: [
          step('execution', 0, 10),
          step('audit', 10, 12, { result: 'FIX' }),
          step('audit-fix', 12, 20),
          step('audit', 20, 23),
        ],
      });
      expect(await results()).toEqual([`${EPOCH}-system.task-worker-result.json`]);
      expect(await read(0)).toEqual({
        agent_type: 'system.task-worker',
        status: 'success',
        exit_code: 0,
        started_at: at(0),
        completed_at: expect.stringMatching(/Z$/),
        duration_seconds: expect.any(Number),
        task_id: 'TASK-001',
        worker_id: 'worker-TASK-001-1700000000',
        iterations_completed: 8,
        outputs: { gate_result: 'PASS', ...OUTPUTS },
        errors: [],
        metadata: expect.objectContaining({
          phases: {
            execution: { start: at(0), end: at(10), duration_s: 600, visits: 1, result: 'PASS' },
            audit: { start: at(10), end: at(23), duration_s: 300, visits: 2, result: 'PASS' },
            'audit-fix': { start: at(12), end: at(20), duration_s: 480, visits: 1, result: 'PASS' },
          },
          run_id: `task-${EPOCH}`,
        }),
      });
    }));

  it('sums what all steps used, by model (#205)', () =>
    withEnd(async ({ end, read }) => {
      const model = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };
      const used = {
        turns: 3,
        inputTokens: 1,
        outputTokens: 2,
        costUsd: 0.5,
        seconds: 30,
        models: { big: { ...model, costUsd: 0.5 } },
      };
      await end({ steps: [step('a', 0, 1, used), step('b', 1, 2, used)] });
      expect(await read(0)).toMatchObject({
        metadata: {
          cost_usd: 1,
          turns: 6,
          seconds: 60,
          tokens: { input: 2, output: 4 },
          models: { big: { input_tokens: 2, cache_write_tokens: 8, cost_usd: 1 } },
        },
      });
    }));

  it('says why a task failed, in the record and in the log (#169, #205)', () =>
    withEnd(async ({ end, read, events, place }) => {
      await end({ result: 'FAIL', reason: 'test ended with FAIL', outputs: { branch: 'b' } });
      expect(await read(0)).toMatchObject({
        status: 'failure',
        exit_code: 10,
        outputs: { gate_result: 'FAIL', branch: 'b' },
        errors: ['test ended with FAIL'],
      });
      expect(await events()).toMatchObject([
        { event: 'task.completed', result: 'FAIL', reason: 'test ended with FAIL' },
      ]);
      expect(await readFile(path.join(place.workerDir, 'gate_result'), 'utf8')).toBe('FAIL\n');
    }));

  it('is written once per end, and once more after a restart (#85, #205)', () =>
    withEnd(async ({ end, results, events, read }) => {
      await end({ result: 'FAIL', reason: 'killed' });
      await end({ result: 'FAIL', reason: 'killed' });
      expect(await results()).toHaveLength(1);
      await end({ startedAt: at(30), steps: [step('execution', 30, 40)] });
      // Within the second in which the first one began.
      await end({ result: 'FAIL', reason: 'another reason' });
      expect(await results()).toEqual([
        `${EPOCH}-system.task-worker-result.json`,
        `${EPOCH + 1}-system.task-worker-result.json`,
        `${EPOCH + 1800}-system.task-worker-result.json`,
      ]);
      expect(await read(0)).toMatchObject({ errors: ['killed'] });
      expect((await events()).map(({ event, result }) => [event, result])).toEqual([
        ['task.completed', 'FAIL'],
        ['task.completed', 'PASS'],
        ['task.completed', 'FAIL'],
      ]);
    }));

  it('fails for good where nothing can be written', () =>
    withEnd(async ({ end, project }) => {
      await writeFile(path.join(project.dir, '.ralph/workers'), 'in the way');
      await expect(end({})).rejects.toMatchObject({ code: 'NOT_WRITABLE', retryable: false });
    }));
});

interface End {
  project: TestProject;
  place: RunPlace;
  end: (changes: Partial<EndedTask>) => Promise<void>;
  results: () => Promise<string[]>;
  read: (index: number) => Promise<Record<string, unknown>>;
  events: () => Promise<Record<string, unknown>[]>;
}

async function withEnd(use: (end: End) => Promise<void>): Promise<void> {
  await withRepository(async (project) => {
    const place = project.place();
    const folder = path.join(place.workerDir, 'results');
    const results = async () => (await readdir(folder)).sort();
    await use({
      project,
      place,
      results,
      end: (changes) =>
        recordTask({
          place,
          startedAt: at(0),
          result: 'PASS',
          outputs: OUTPUTS,
          steps: [],
          ...changes,
        }),
      read: async (index) => {
        const name = (await results())[index] ?? '';
        const text = await readFile(path.join(folder, name), 'utf8');
        return JSON.parse(text) as Record<string, unknown>;
      },
      events: async () =>
        (await readFile(path.join(place.workerDir, 'activity.jsonl'), 'utf8'))
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as Record<string, unknown>),
    });
  });
}
