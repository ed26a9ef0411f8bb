import { readFile, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { ResultMapping } from '../../../workflows/domain/steps.ts';
import { withStep } from '../../helpers/with-step.ts';

const mapping = (exitCode: number): ResultMapping => ({
  status: 'success',
  exitCode,
  defaultJump: 'next',
});

describe('beginStep', () => {
  it('says that the step has started, once', async () => {
    await withStep(async ({ begin, events }) => {
      expect((await begin()).startedAt).toMatch(/^\d{4}-/);
      await begin();
      expect(await events()).toEqual(['step.started']);
    });
  });

  it('names the commit that a readonly step is put back to (#53, #188)', async () => {
    await withStep(async ({ begin, git }) => {
      const { checkpoint = '' } = await begin(true);
      expect(await git('cat-file', '-t', checkpoint)).toBe('commit');
      expect((await begin(true)).checkpoint).toBe(checkpoint);
    });
  });

  it('needs no such commit for a step that may write', async () => {
    await withStep(async ({ begin }) => {
      expect(await begin()).not.toHaveProperty('checkpoint');
    });
  });

  it('fails at once when the workspace has vanished (#65)', async () => {
    await withStep(async ({ begin, place }) => {
      await rm(place.workspace, { recursive: true });
      await expect(begin()).rejects.toMatchObject({ code: 'WORKSPACE_GONE', retryable: false });
    });
  });
});

describe('endStep', () => {
  it('puts the result on record and says so, once also on retry (#84)', async () => {
    await withStep(async ({ begin, end, events, record, place }) => {
      await begin();
      const first = await end();
      expect(first).toEqual({
        result: 'PASS',
        endedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        outputs: {},
        outputDir: path.join(place.workerDir, 'output', 'engineering.security-audit'),
      });
      expect(await end()).toEqual(first);
      expect(await record()).toMatchObject({
        agent_type: 'engineering.security-audit',
        status: 'success',
        exit_code: 0,
        iterations_completed: 1,
        outputs: { gate_result: 'PASS', session_id: 'sid' },
        metadata: { step_id: 'audit', why: 'result', cost_usd: 0.5, turns: 3 },
      });
      expect(await readdir(path.join(place.workerDir, 'results'))).toHaveLength(1);
      expect(await events()).toEqual(['step.started', 'step.completed']);
    });
  });

  it('writes down what each model used (#84)', async () => {
    await withStep(async ({ begin, end, record }) => {
      await begin();
      const model = { inputTokens: 7, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 2 };
      const usage = {
        turns: 4,
        inputTokens: 12,
        outputTokens: 5,
        costUsd: 0.25,
        seconds: 61.4,
        models: { 'a-model': { ...model, costUsd: 0.25 } },
      };
      await end({}, { usage });
      expect(await record()).toMatchObject({
        metadata: {
          turns: 4,
          cost_usd: 0.25,
          seconds: 61,
          tokens: { input: 12, output: 5 },
          models: {
            'a-model': {
              input_tokens: 7,
              output_tokens: 5,
              cache_read_tokens: 3,
              cache_write_tokens: 2,
              cost_usd: 0.25,
            },
          },
        },
      });
    });
  });

  it('names the last run when a supervisor began the loop anew (#84)', async () => {
    await withStep(async ({ begin, end, record }) => {
      await begin();
      await end({}, { runId: 'audit-1700000300' });
      expect(await record()).toMatchObject({
        metadata: { run_id: 'audit-1700000100', last_run_id: 'audit-1700000300' },
      });
    });
  });

  it('does not take a result that the agent wrote itself for the real one (#84)', async () => {
    await withStep(async ({ begin, end, record, place, project }) => {
      await begin();
      await end();
      const genuine = await record();
      const forged = JSON.stringify({
        ...genuine,
        outputs: { gate_result: 'PASS' },
        metadata: { ...(genuine['metadata'] as object), run_id: 'audit-1700000200' },
      });
      const name = (epoch: number) => `results/${epoch}-engineering.security-audit-result.json`;
      await project.write({ [name(1700000200)]: forged }, place.workerDir);
      await end({ runId: 'audit-1700000200', epoch: 1700000200 }, { result: 'FIX' });
      expect(await record()).toMatchObject({ outputs: { gate_result: 'FIX' } });
      expect(await readdir(path.join(place.workerDir, 'results'))).toEqual([
        '1700000100-engineering.security-audit-result.json',
        '1700000200-engineering.security-audit-result.json',
        '1700000201-engineering.security-audit-result.json',
      ]);
    });
  });

  it('reports max iterations with an exit code of its own (#95)', async () => {
    await withStep(async ({ begin, end, record }) => {
      await begin();
      const run = {
        result: 'FAIL',
        why: 'max-iterations',
        detail: 'not complete after 3 iterations',
      };
      await end({}, run);
      expect(await record()).toMatchObject({
        status: 'failure',
        exit_code: 12,
        errors: ['not complete after 3 iterations'],
      });
    });
  });

  it.each([
    ['pipeline', 4, { PASS: mapping(4) }, { PASS: mapping(5) }],
    ['agent', 5, {}, { PASS: mapping(5) }],
    ['defaults', 0, {}, {}],
  ])('maps a result by the %s (#45)', async (_title, exitCode, pipeline, resultMappings) => {
    await withStep(async ({ begin, end, record, agent }) => {
      await begin();
      await end({ resultMappings: pipeline, agent: { ...agent, resultMappings } });
      expect(await record()).toMatchObject({ exit_code: exitCode });
    });
  });

  it('undoes everything in a readonly step, and keeps its report (#53)', async () => {
    await withStep(async ({ begin, end, git, write, place, project }) => {
      await write({ 'work.txt': 'of an earlier step\n' });
      await begin(true);
      const before = [await git('status', '--porcelain'), await git('rev-parse', 'HEAD')];
      await write({ 'README.md': 'changed\n', 'added.txt': 'x\n', 'work.txt': 'spoiled\n' });
      const report = path.join(place.workerDir, 'leases', 'turn', 'report.md');
      await project.write({ [path.relative(project.dir, report)]: 'Found one.\n' });
      const ended = await end({ readonly: true }, { result: 'FIX', report });

      expect([await git('status', '--porcelain'), await git('rev-parse', 'HEAD')]).toEqual(before);
      expect(await readFile(path.join(place.workspace, 'work.txt'), 'utf8')).toBe(
        'of an earlier step\n',
      );
      expect(await readFile(ended.report ?? '', 'utf8')).toBe('Found one.\n');
    });
  });

  it.each([
    ['changed', { 'README.md': 'changed\n' }],
    ['only added', { 'added.txt': 'x\n' }],
  ])('commits what the agent %s, once (#54)', async (_title, files) => {
    await withStep(async ({ begin, end, git, write, record }) => {
      await begin();
      await write(files);
      const first = await end({ commitAfter: true });
      const second = await end({ commitAfter: true });

      expect(first.commit).toBe(await git('rev-parse', 'HEAD'));
      expect(second).toEqual(first);
      expect(await git('log', '-1', '--format=%s')).toBe(
        'TASK-001: audit - engineering.security-audit',
      );
      expect(await git('rev-list', '--count', 'HEAD')).toBe('2');
      expect(await record()).toMatchObject({ metadata: { commit: first.commit } });
    });
  });

  it('asks for a repair when what is there must not be committed (#115)', async () => {
    await withStep(async ({ begin, end, git, write, record }) => {
      await begin();
      await write({ 'README.md': '<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n' });
      const ended = await end({ commitAfter: true });
      expect(ended).toMatchObject({
        result: 'FIX',
        fault: expect.stringContaining('README.md'),
      });
      expect(await git('rev-list', '--count', 'HEAD')).toBe('1');
      expect(await record()).toMatchObject({
        outputs: { gate_result: 'FIX' },
        errors: [ended.fault],
      });
    });
  });

  it.each(['FAIL', 'UNKNOWN'])('leaves %s as it is when the commit is refused', async (result) => {
    await withStep(async ({ begin, end, write, record }) => {
      await begin();
      await write({ 'README.md': '<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n' });
      const ended = await end({ commitAfter: true }, { result });
      expect(ended).toMatchObject({ result, fault: expect.stringContaining('README.md') });
      expect(await record()).toMatchObject({ outputs: { gate_result: result } });
    });
  });

  it('explains a failure in the words of the report', async () => {
    await withStep(async ({ begin, end, place, project }) => {
      await begin();
      const report = path.join(place.workerDir, 'leases', 'turn', 'report.md');
      await project.write({
        [path.relative(project.dir, report)]: `It\n cannot ${'x'.repeat(500)}\n`,
      });
      const { words = '' } = await end({}, { result: 'FAIL', report });
      expect(words).toMatch(/^It cannot x+…$/);
      expect(words.length).toBe(300);
    });
  });
});
