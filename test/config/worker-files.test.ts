import { execFile } from 'node:child_process';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { writeResult } from '../../activities/agent/result-record.ts';
import { workerPath, type WorkerPathKind } from '../../config/worker-files.ts';
import { DEFAULT_MAPPINGS } from '../../workflows/domain/steps.ts';
import { withAgents, type AgentWorld } from '../helpers/with-agents.ts';

interface Asked extends AgentWorld {
  ask: (kind: WorkerPathKind, name?: string) => Promise<string | undefined>;
  end: (epoch: number, step: string, agentType: string, report?: string) => Promise<void>;
}

describe('workerPath', () => {
  it.each(['audit', 'test.auditor'])('finds the newest result and report by %s (#87)', (name) =>
    withRuns(async ({ ask, end }) => {
      await end(1700000200, 'audit', 'test.auditor', 'second');
      await end(1700000100, 'audit', 'test.auditor', 'first');
      await end(1700000300, 'docs', 'test.writer', 'third');
      expect(await ask('result', name)).toBe('results/1700000200-test.auditor-result.json');
      expect(await ask('report', name)).toBe('reports/1700000200-test.auditor-report.md');
      expect(await ask('result')).toBe('results/1700000300-test.writer-result.json');
    }),
  );

  it('finds the newest of several within one second (#85, #185)', () =>
    withRuns(async ({ ask, end }) => {
      await end(1700000100, 'audit', 'test.auditor', 'first');
      await end(1700000100, 'audit-again', 'test.auditor', 'second');
      expect(await ask('report', 'test.auditor')).toBe('reports/1700000101-test.auditor-report.md');
      expect(await ask('report', 'audit')).toBe('reports/1700000100-test.auditor-report.md');
    }));

  it('counts epochs as numbers', () =>
    withRuns(async ({ ask, end }) => {
      await end(999999999, 'audit', 'test.auditor');
      await end(1000000000, 'audit', 'test.auditor');
      expect(await ask('result', 'audit')).toBe('results/1000000000-test.auditor-result.json');
    }));

  it.each<[WorkerPathKind, string]>([
    ['summary', 'summaries/summary.txt'],
    ['comments', 'task-comments.md'],
    ['prd', 'prd.md'],
    ['workspace', 'workspace'],
  ])('finds %s at %s, or says that there is none (#87)', (kind, name) =>
    withRuns(async ({ ask, place }) => {
      const file = path.join(place.workerDir, name);
      await rm(file, { recursive: true, force: true });
      expect(await ask(kind)).toBeUndefined();
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, 'x\n');
      expect(await ask(kind)).toBe(name);
    }),
  );

  it('gives nothing of an agent or step that has not run (#87)', () =>
    withRuns(async ({ ask, end }) => {
      expect(await ask('result')).toBeUndefined();
      await end(1700000100, 'audit', 'test.auditor');
      expect(await ask('result', 'docs')).toBeUndefined();
      expect(await ask('report', 'audit')).toBeUndefined();
    }));

  it('gives nothing that an agent put there or changed (#84)', () =>
    withRuns(async ({ ask, end, place }) => {
      await end(1700000100, 'audit', 'test.auditor', 'first');
      await end(1700000200, 'audit', 'test.auditor', 'second');
      const results = path.join(place.workerDir, 'results');
      await writeFile(path.join(results, '9999999999-test.auditor-result.json'), '{}');
      await appendFile(path.join(results, '1700000200-test.auditor-result.json'), ' ');
      expect(await ask('result', 'audit')).toBe('results/1700000100-test.auditor-result.json');
    }));

  it.each([
    ['empty', ''],
    ['cut off', '{"file":"results/17000'],
    ['of another shape', '[]\nnull\n{"file":1}\n'],
    ['binary', '\0\uffff\n'],
    [
      'leading out of the folder',
      '{"file":"results/../../x","sha256":"","agentType":"a","runId":"r","epoch":1}\n',
    ],
  ])('passes over a list that is %s (#210)', (_title, text) =>
    withRuns(async ({ ask, end, place }) => {
      await writeFile(path.join(place.workerDir, 'records.jsonl'), text);
      expect(await ask('result')).toBeUndefined();
      await end(1700000100, 'audit', 'test.auditor');
      expect(await ask('result')).toBe('results/1700000100-test.auditor-result.json');
    }),
  );

  it('does not wait for a pipe in place of the list', () =>
    withRuns(async ({ ask, place }) => {
      await promisify(execFile)('mkfifo', [path.join(place.workerDir, 'records.jsonl')]);
      expect(await ask('result')).toBeUndefined();
    }));
});

function withRuns(use: (asked: Asked) => Promise<void>): Promise<void> {
  return withAgents(async (world) => {
    const { workerDir } = world.place;
    await use({
      ...world,
      ask: async (kind, name) => {
        const found = await workerPath({ workerDir, kind, ...(name && { name }) });
        return found && path.relative(workerDir, found);
      },
      end: async (epoch, stepId, agentType, report) => {
        const text = path.join(workerDir, 'turn-report.md');
        if (report !== undefined) await writeFile(text, report);
        await writeResult({
          place: world.place,
          epoch,
          agentType,
          stepId,
          runId: `${stepId}-${epoch}`,
          result: 'PASS',
          mapping: DEFAULT_MAPPINGS['PASS'],
          iterations: 1,
          startedAt: '2026-01-01T00:00:00.000Z',
          endedAt: '2026-01-01T00:01:00.000Z',
          errors: [],
          outputs: {},
          metadata: {},
          ...(report !== undefined && { report: text }),
        });
      },
    });
  });
}
