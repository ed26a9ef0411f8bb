import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  agentOfRun,
  writeResult,
  type RunResult,
} from '../../../activities/agent/result-record.ts';
import { workerPath } from '../../../config/worker-files.ts';
import { DEFAULT_MAPPINGS } from '../../../workflows/domain/steps.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';

const run = (world: AgentWorld, changes: Partial<RunResult> = {}): RunResult => ({
  place: world.place,
  epoch: 1700000100,
  agentType: 'engineering.security-audit',
  stepId: 'audit',
  runId: 'audit-1700000100',
  result: 'FIX',
  mapping: DEFAULT_MAPPINGS['FIX'],
  iterations: 2,
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:01:40.400Z',
  errors: ['one'],
  outputs: { session_id: 'sid' },
  metadata: { why: 'result' },
  ...changes,
});

const record = async (file: string) =>
  JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;

async function reportFile(world: AgentWorld, text: string): Promise<string> {
  const file = path.join(world.place.workerDir, 'turn-report.md');
  await writeFile(file, text);
  return file;
}

const newest = (world: AgentWorld, name: string) =>
  workerPath({ workerDir: world.place.workerDir, kind: 'result', name });

const names = (world: AgentWorld, folder: string) =>
  readdir(path.join(world.place.workerDir, folder));

describe('writeResult', () => {
  it('writes every field of a result (#84)', async () => {
    await withAgents(async (world) => {
      const { file, report } = await writeResult(run(world));
      expect(path.relative(world.place.workerDir, file)).toBe(
        'results/1700000100-engineering.security-audit-result.json',
      );
      expect(report).toBeUndefined();
      expect(await record(file)).toEqual({
        agent_type: 'engineering.security-audit',
        status: 'partial',
        exit_code: 0,
        started_at: '2026-01-01T00:00:00.000Z',
        completed_at: '2026-01-01T00:01:40.400Z',
        duration_seconds: 100,
        task_id: 'AB-1',
        worker_id: 'worker-AB-1-1700000000',
        iterations_completed: 2,
        outputs: { session_id: 'sid', gate_result: 'FIX' },
        errors: ['one'],
        metadata: { why: 'result', step_id: 'audit', run_id: 'audit-1700000100' },
      });
      expect(await world.read('gate_result')).toBe('FIX\n');
    });
  });

  it.each([
    ['PASS', 'success', 0],
    ['FAIL', 'failure', 10],
    ['FIX', 'partial', 0],
    ['SKIP', 'success', 0],
    ['UNKNOWN', 'unknown', 1],
    ['APPROVED', 'unknown', 1],
  ])('maps %s to %s and %i (#84)', async (result, status, exitCode) => {
    await withAgents(async (world) => {
      const mapping = DEFAULT_MAPPINGS[result];
      const { file } = await writeResult(run(world, { result, mapping }));
      expect(await record(file)).toMatchObject({ status, exit_code: exitCode });
    });
  });

  it('takes a mapping and an exit code of its own (#84, #95)', async () => {
    await withAgents(async (world) => {
      const mapping = { status: 'success', exitCode: 3, defaultJump: 'next' } as const;
      const mapped = await writeResult(run(world, { mapping }));
      expect(await record(mapped.file)).toMatchObject({ status: 'success', exit_code: 3 });
      const last = run(world, {
        mapping: DEFAULT_MAPPINGS['FAIL'],
        exitCode: 12,
        runId: 'audit-2',
      });
      expect(await record((await writeResult(last)).file)).toMatchObject({ exit_code: 12 });
    });
  });

  it('lets no output take the place of the gate result or of the names (#84)', async () => {
    await withAgents(async (world) => {
      const { file } = await writeResult(
        run(world, { outputs: { gate_result: 'PASS' }, metadata: { run_id: 'x', step_id: 'y' } }),
      );
      expect(await record(file)).toMatchObject({
        outputs: { gate_result: 'FIX' },
        metadata: { run_id: 'audit-1700000100', step_id: 'audit' },
      });
    });
  });

  it('keeps the report beside the result (#185)', async () => {
    await withAgents(async (world) => {
      const { file, report } = await writeResult(
        run(world, { report: await reportFile(world, 'All is well.') }),
      );
      expect(path.relative(world.place.workerDir, report ?? '')).toBe(
        'reports/1700000100-engineering.security-audit-report.md',
      );
      expect(await readFile(report ?? '', 'utf8')).toBe('All is well.\n');
      expect(await record(file)).toMatchObject({
        outputs: { report_file: 'reports/1700000100-engineering.security-audit-report.md' },
      });
    });
  });

  it('finds its own record again on a retry, and finishes what was left undone', async () => {
    await withAgents(async (world) => {
      const report = await reportFile(world, 'All is well.');
      const first = await writeResult(run(world, { report }));
      const text = await readFile(first.file, 'utf8');
      await rm(first.report ?? '');
      await rm(path.join(world.place.workerDir, 'gate_result'));
      const second = await writeResult(run(world, { report, endedAt: '2026-01-01T09:00:00.000Z' }));

      expect(second).toEqual(first);
      expect(await readFile(first.file, 'utf8')).toBe(text);
      expect(await readFile(first.report ?? '', 'utf8')).toBe('All is well.\n');
      expect(await names(world, 'results')).toHaveLength(1);
    });
  });

  it('writes what a death kept it from writing, under the same name (#185)', async () => {
    await withAgents(async (world) => {
      const first = await writeResult(run(world));
      await rm(first.file); // listed, and not there
      const second = await writeResult(run(world, { endedAt: '2026-01-01T09:00:00.000Z' }));
      expect(second.file).toBe(first.file);
      expect(await record(second.file)).toMatchObject({ completed_at: '2026-01-01T09:00:00.000Z' });
      expect(await newest(world, 'audit')).toBe(second.file);
    });
  });

  it('takes the next free second for another run (#85, #185)', async () => {
    await withAgents(async (world) => {
      const report = await reportFile(world, 'one');
      await writeResult(run(world, { report }));
      await writeFile(report, 'two');
      const second = await writeResult(run(world, { runId: 'audit-other', report }));

      expect(path.basename(second.file)).toBe('1700000101-engineering.security-audit-result.json');
      expect((await names(world, 'results')).sort()).toEqual([
        '1700000100-engineering.security-audit-result.json',
        '1700000101-engineering.security-audit-result.json',
      ]);
      expect(await world.read('reports/1700000100-engineering.security-audit-report.md')).toBe(
        'one\n',
      );
      expect(await world.read('reports/1700000101-engineering.security-audit-report.md')).toBe(
        'two\n',
      );
    });
  });

  it('keeps every one of many results of one second (#85)', async () => {
    await withAgents(async (world) => {
      const runs = Array.from({ length: 10 }, (_, number) =>
        run(world, { runId: `audit-${number}` }),
      );
      const written = await Promise.all(runs.map(writeResult));
      expect(new Set(written.map(({ file }) => file)).size).toBe(10);
      const found = await Promise.all(written.map(({ file }) => record(file)));
      expect(found.map(({ metadata }) => (metadata as { run_id: string }).run_id)).toEqual(
        runs.map(({ runId }) => runId),
      );
    });
  });

  it('takes a file that it cannot read for somebody else, and leaves it alone (#210)', async () => {
    await withAgents(async (world) => {
      const { file } = await writeResult(run(world));
      await writeFile(file, '{');
      const second = await writeResult(run(world));
      expect(second.file).not.toBe(file);
      expect(await readFile(file, 'utf8')).toBe('{');
    });
  });

  it('does not take what an agent put there for its own (#84, #210)', async () => {
    await withAgents(async (world) => {
      const honest = await writeResult(run(world, { runId: 'other' }));
      const text = await readFile(honest.file, 'utf8');
      await rm(honest.file);
      const forged = text
        .replace('"other"', '"audit-1700000100"')
        .replace('"gate_result": "FIX"', '"gate_result": "PASS"');
      await writeFile(honest.file, forged);
      const real = await writeResult(run(world));

      expect(path.basename(real.file)).toBe('1700000101-engineering.security-audit-result.json');
      expect(await record(real.file)).toMatchObject({ outputs: { gate_result: 'FIX' } });
      expect(await readFile(honest.file, 'utf8')).toBe(forged);
      expect(await newest(world, 'engineering.security-audit')).toBe(real.file);
    });
  });

  it('does not take a forged record that is in the list, but says something else (#84)', async () => {
    await withAgents(async (world) => {
      const forged = await writeResult(
        run(world, { result: 'PASS', mapping: DEFAULT_MAPPINGS['PASS'] }),
      );
      const real = await writeResult(run(world));
      expect(real.file).not.toBe(forged.file);
      expect(await record(real.file)).toMatchObject({ outputs: { gate_result: 'FIX' } });
      expect(await newest(world, 'audit')).toBe(real.file);
    });
  });

  it('leaves a report alone that an agent put in its way (#85)', async () => {
    await withAgents(async (world) => {
      const planted = path.join(
        world.place.workerDir,
        'reports/1700000100-engineering.security-audit-report.md',
      );
      await mkdir(path.dirname(planted), { recursive: true });
      await writeFile(planted, 'All is well.\n');
      const { report } = await writeResult(
        run(world, { report: await reportFile(world, 'Two holes.') }),
      );
      expect(await readFile(planted, 'utf8')).toBe('All is well.\n');
      expect(await readFile(report ?? '', 'utf8')).toBe('Two holes.\n');
    });
  });

  it('never counts backwards when the clock was set back', async () => {
    await withAgents(async (world) => {
      const { file } = await writeResult(run(world, { endedAt: '2025-12-31T23:00:00.000Z' }));
      expect(await record(file)).toMatchObject({ duration_seconds: 0 });
    });
  });
});

describe('agentOfRun', () => {
  it('names the agent of a run that has a result', async () => {
    await withAgents(async (world) => {
      await writeResult(run(world));
      expect(await agentOfRun(world.place, 'audit-1700000100')).toBe('engineering.security-audit');
      expect(await agentOfRun(world.place, 'audit-9')).toBeUndefined();
    });
  });
});
