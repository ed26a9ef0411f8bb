import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { withPipelineRun } from '../../helpers/with-pipeline-run.ts';
import { withStep, type StepWorld } from '../../helpers/with-step.ts';

const OUTPUTS = 'output/engineering.security-audit/outputs.json';

describe('outputs of a step', () => {
  it('hands on what the agent declared and the record has, and nothing else (#78)', () =>
    audited(async ({ said, ended }) => {
      await said({ finding: 'SQL in src/app.txt:1', secret: 'not declared' });
      const { outputs, record } = await ended(['finding', 'session_id', 'never_there']);
      expect(outputs).toEqual({ finding: 'SQL in src/app.txt:1', session_id: 'sid' });
      expect(record.outputs).toEqual({
        finding: 'SQL in src/app.txt:1',
        secret: 'not declared',
        session_id: 'sid',
        gate_result: 'PASS',
      });
      expect(record.errors).toEqual([]);
    }));

  it('names report and summary when they are there, for later steps by whole paths (#78)', () =>
    audited(async ({ put, place, ended }) => {
      await put('summaries/summary.txt', 'done\n');
      await put('turn.md', 'Nothing found.\n');
      const keys = ['report_file', 'summary_file'];
      const report = path.join(place.workerDir, 'turn.md');
      const { outputs, record } = await ended(keys, { report });
      const name = 'reports/1700000100-engineering.security-audit-report.md';
      expect(outputs).toEqual({
        report_file: path.join(place.workerDir, name),
        summary_file: path.join(place.workerDir, 'summaries/summary.txt'),
      });
      expect(record.outputs).toMatchObject({
        report_file: name,
        summary_file: 'summaries/summary.txt',
      });
    }));

  it('names the plan that the agent was told to keep to (#69, #78)', () =>
    withPipelineRun(async ({ visit, project, place }) => {
      const usual = path.join(place.ralphDir, 'plans', 'TASK-001.md');
      const own = path.join(project.dir, 'own-plan.md');
      await project.write({ [usual]: 'usual\n', [own]: 'own\n' }, '/');
      const outputs = async (environment: Record<string, string>) =>
        (await visit('audit/audit-fix', ['result: PASS'], { environment })).ended.outputs;
      expect(await outputs({})).toEqual({ plan_file: usual });
      expect(await outputs({ WIGGUM_PLAN_FILE: own })).toEqual({ plan_file: own });
      expect(await outputs({ WIGGUM_PLAN_FILE: `${own}.gone` })).toEqual({});
    }));

  it('names the file that the agent was told to write, once it is there (#78)', () =>
    withPipelineRun(async ({ visit, place: { workerDir } }) => {
      const more = { parent: { stepId: 'audit', runId: 'audit-1' }, nextStepId: 'last' };
      const outputs = async (...actions: string[]) =>
        (await visit('audit/audit-fix', [...actions, 'result: PASS'], more)).ended.outputs;
      expect(await outputs()).toEqual({});
      const written = 'write: { path: ../fixes/audit-last--1.md, content: x }';
      expect(await outputs(written)).toEqual({
        output_file: path.join(workerDir, 'fixes/audit-last--1.md'),
      });
    }));

  it('lets an agent say neither the gate result nor what we know better (#84)', () =>
    audited(async ({ said, ended }) => {
      await said({ gate_result: 'FIX', session_id: 'forged', ok: 'yes' });
      const { outputs, record } = await ended(['session_id', 'gate_result', 'ok']);
      expect(outputs).toEqual({ session_id: 'sid', gate_result: 'PASS', ok: 'yes' });
      expect(record.errors).toEqual([expect.stringContaining(`${OUTPUTS}: "gate_result"`)]);
    }));

  it.each<[string, string, string]>([
    ['empty', '', 'it is not a JSON object'],
    ['cut off', '{"a": "b', 'it is not a JSON object'],
    ['a list', '["a"]', 'it is not a JSON object'],
    ['nothing', 'null', 'it is not a JSON object'],
    ['too long', `{"a":"${'x'.repeat(300_000)}"}`, 'no ordinary file of at most 262144 bytes'],
  ])('names a file that is %s and goes on without it (#210)', (_title, text, fault) =>
    audited(async ({ put, ended }) => {
      await put(OUTPUTS, text);
      const { outputs, record } = await ended(['a', 'session_id']);
      expect(outputs).toEqual({ session_id: 'sid' });
      expect(record.errors).toEqual([`${OUTPUTS}: ${fault}`]);
    }),
  );

  it('leaves out single values that cannot be handed on, and names them (#210)', () =>
    audited(async ({ said, ended }) => {
      await said({
        good: 'x',
        number: 1,
        deep: { a: 'b' },
        long: 'x'.repeat(5_000),
        'a b': 'x',
        zero: 'a\0b',
      });
      const { record } = await ended([]);
      expect(record.outputs).toEqual({ good: 'x', session_id: 'sid', gate_result: 'PASS' });
      expect(record.errors).toEqual([
        `${OUTPUTS}: "number" is not a string`,
        `${OUTPUTS}: "deep" is not a string`,
        `${OUTPUTS}: "long" is longer than 4096 bytes`,
        `${OUTPUTS}: "a b" is no name: letters, digits and _`,
        `${OUTPUTS}: "zero" holds a zero byte`,
      ]);
    }));

  it('follows no link out of the worker folder', () =>
    audited(async ({ place, ended }) => {
      const precious = path.join(place.projectDir, 'precious.json');
      await writeFile(precious, '{"password":"x"}');
      await mkdir(path.join(place.workerDir, path.dirname(OUTPUTS)), { recursive: true });
      await symlink(precious, path.join(place.workerDir, OUTPUTS));
      expect((await ended(['password'])).outputs).toEqual({});
    }));

  it('does not hand on again what an earlier run of the agent left (#78)', () =>
    audited(async ({ said, ended, place }) => {
      await said({ a: 'old' });
      const long = new Date('2020-01-01');
      await utimes(path.join(place.workerDir, OUTPUTS), long, long);
      expect((await ended(['a'])).outputs).toEqual({});
    }));

  it('answers a retry from the record (#85)', () =>
    audited(async ({ said, ended, place }) => {
      await said({ a: 'b' });
      const first = await ended(['a']);
      await rm(path.join(place.workerDir, OUTPUTS));
      expect(await ended(['a'])).toEqual(first);
    }));
});

interface Audited extends StepWorld {
  /** Writes a file below the worker folder. */
  put: (file: string, text: string) => Promise<void>;
  said: (outputs: object) => Promise<void>;
  ended: (
    declared: string[],
    more?: { report?: string },
  ) => Promise<{
    outputs: Record<string, string>;
    record: { outputs: Record<string, string>; errors: string[] };
  }>;
}

function audited(use: (world: Audited) => Promise<void>): Promise<void> {
  return withStep(async (world) => {
    const { startedAt } = await world.begin();
    const put = (file: string, text: string) =>
      world.project.write({ [file]: text }, world.place.workerDir);
    await use({
      ...world,
      put,
      said: (outputs) => put(OUTPUTS, JSON.stringify(outputs)),
      ended: async (declared, { report } = {}) => {
        const { outputs } = await world.end(
          {
            startedAt,
            agent: { ...world.agent, mode: 'once', outputs: declared },
          },
          report ? { report } : {},
        );
        const record = (await world.record()) as unknown as {
          outputs: Record<string, string>;
          errors: string[];
        };
        return { outputs, record };
      },
    });
  });
}
