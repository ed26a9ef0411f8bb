import { readFile, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createWorkspace } from '../../../activities/git/workspace.ts';
import { beginStep } from '../../../activities/step/begin-step.ts';
import { endStep, type StepEnd } from '../../../activities/step/end-step.ts';
import type { AgentPlan, RunPlace } from '../../../workflows/domain/agent.ts';
import type { ResultMapping } from '../../../workflows/domain/steps.ts';
import { withRepository, type TestProject } from '../../helpers/with-repository.ts';

const mapping = (exitCode: number): ResultMapping => ({
  status: 'success',
  exitCode,
  defaultJump: 'next',
});

interface StepWorld {
  agent: AgentPlan;
  project: TestProject;
  place: RunPlace;
  git: (...args: string[]) => Promise<string>;
  write: (files: Record<string, string>) => Promise<void>;
  begin: (readonly?: boolean) => Promise<{ startedAt: string }>;
  end: (changes?: Partial<StepEnd>, run?: Partial<StepEnd['run']>) => ReturnType<typeof endStep>;
  record: () => Promise<Record<string, unknown>>;
  events: () => Promise<string[]>;
}

async function withStep(use: (world: StepWorld) => Promise<void>): Promise<void> {
  await withRepository(async (project) => {
    const place = project.place();
    await createWorkspace(place);
    const runId = 'audit-1700000100';
    const agent: AgentPlan = {
      type: 'engineering.security-audit',
      mode: 'ralph_loop',
      readonly: false,
      completion: 'result-tag',
      validResults: ['PASS', 'FIX', 'FAIL'],
      resultMappings: {},
      maxIterations: 3,
      maxTurns: 30,
      timeoutSeconds: 60,
    };
    await use({
      agent,
      project,
      place,
      git: (...args) => project.git(args, place.workspace),
      write: (files) => project.write(files, place.workspace),
      begin: (readonly = false) =>
        beginStep({ place, runId, step: 'audit', agent: agent.type, readonly }),
      end: (changes = {}, run = {}) =>
        endStep({
          place,
          runId,
          epoch: 1700000100,
          step: 'audit',
          agent,
          readonly: false,
          commitAfter: false,
          startedAt: '2026-01-01T00:00:00.000Z',
          resultMappings: {},
          run: {
            result: 'PASS',
            why: 'result',
            iterations: 1,
            sessionId: 'sid',
            costUsd: 0.5,
            turns: 3,
            ...run,
          },
          ...changes,
        }),
      record: async () => {
        const folder = path.join(place.workerDir, 'results');
        const [name = ''] = await readdir(folder);
        return JSON.parse(await readFile(path.join(folder, name), 'utf8')) as Record<
          string,
          unknown
        >;
      },
      events: async () =>
        (await readFile(path.join(place.workerDir, 'activity.jsonl'), 'utf8'))
          .trimEnd()
          .split('\n')
          .map((line) => (JSON.parse(line) as { event: string }).event),
    });
  });
}

describe('beginStep', () => {
  it('says that the step has started, once', async () => {
    await withStep(async ({ begin, events }) => {
      expect((await begin()).startedAt).toMatch(/^\d{4}-/);
      await begin();
      expect(await events()).toEqual(['step.started']);
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
      expect(await end()).toEqual({ result: 'PASS' });
      expect(await end()).toEqual({ result: 'PASS' });
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
