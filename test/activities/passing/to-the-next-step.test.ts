import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { advance, begin, type PipelineState } from '../../../workflows/domain/pipeline.ts';
import { workerPath } from '../../../config/worker-files.ts';
import { withPipelineRun, type PipelineRun } from '../../helpers/with-pipeline-run.ts';

/* The five ways in which a step reaches the one after it. */

describe('what a step passes to the next', () => {
  it('is its gate result: on record, in a file, and for the pipeline (#84, #184)', () =>
    withPipelineRun(async ({ prepare, visit, place, read }) => {
      const { pipeline } = await prepare();
      const { ended } = await visit('audit', ['result: FIX']);
      const result = await workerPath({
        workerDir: place.workerDir,
        kind: 'result',
        name: 'audit',
      });
      expect(JSON.parse(await readFile(result ?? '', 'utf8'))).toMatchObject({
        outputs: { gate_result: 'FIX' },
      });
      expect(await read('../gate_result')).toBe('FIX\n');
      const at = begin(pipeline, NOTHING_ON, 'audit');
      expect(placeOf(advance(pipeline, NOTHING_ON, at, ended.result))).toBe('audit/audit-fix');
    }));

  it('is that it runs at all, by a switch of the environment (#52)', () =>
    withPipelineRun(async ({ prepare }) => {
      for (const [environment, first] of [
        [{ WIGGUM_PLAN_MODE: 'true' }, 'planning'],
        [{ WIGGUM_PLAN_MODE: 'off' }, 'execution'],
        [{}, 'execution'],
      ] as const) {
        const { pipeline, enabled } = await prepare(environment);
        expect(placeOf(begin(pipeline, { enabled, mappings: {} }))).toBe(first);
      }
    }));

  it('is its context and its declared outputs, in the environment (#78, #188)', () =>
    withPipelineRun(async ({ visit, place, read, project }) => {
      await project.write({ 'resume_instructions.md': 'Go on at src.\n' }, place.workerDir);
      const first = await visit('execution', [
        'run: echo "{\\"finding\\":\\"two words\\",\\"more\\":\\"x\\"}" > ../output/test.worker/outputs.json',
        'report: All is built.',
        'result: PASS',
      ]);
      expect(first.ended.outputs).toEqual({
        finding: 'two words',
        session_id: first.context.sessionId,
      });
      await visit('last', ['run: env > ../seen.txt', 'result: PASS'], {
        parent: first.context,
        nextStepId: 'after-last',
        outputs: first.ended.outputs,
      });
      expect(await variables(read)).toMatchObject({
        WIGGUM_STEP_ID: 'last',
        WIGGUM_PARENT_STEP_ID: 'execution',
        WIGGUM_PARENT_RUN_ID: first.context.runId,
        WIGGUM_PARENT_SESSION_ID: first.context.sessionId,
        WIGGUM_PARENT_RESULT: 'PASS',
        WIGGUM_PARENT_REPORT: first.ended.report,
        WIGGUM_PARENT_OUTPUT_DIR: path.join(place.workerDir, 'output', 'test.worker'),
        WIGGUM_NEXT_STEP_ID: 'after-last',
        WIGGUM_OUTPUT_FINDING: 'two words',
        WIGGUM_OUTPUT_SESSION_ID: first.context.sessionId,
        PIPELINE_PLAN_FILE: path.join(place.ralphDir, 'plans', 'TASK-001.md'),
        PIPELINE_RESUME_INSTRUCTIONS: path.join(place.workerDir, 'resume_instructions.md'),
      });
      expect(await read('../seen.txt')).not.toContain('WIGGUM_OUTPUT_MORE');
    }));

  it('is the state of git: branch, pull request, safety checkpoint (#188)', () =>
    withPipelineRun(async ({ visit, read, project, place }) => {
      await visit('audit', ['run: env > ../seen.txt', 'result: PASS'], {
        pullRequestUrl: 'file:///pr/1',
      });
      const seen = await variables(read);
      expect(seen).toMatchObject({
        GIT_COMMIT_BRANCH: 'task/TASK-001-1700000000',
        GIT_PR_URL: 'file:///pr/1',
      });
      const checkpoint = seen['GIT_SAFETY_CHECKPOINT_SHA'] ?? '';
      expect(await project.git(['cat-file', '-t', checkpoint], place.workspace)).toBe('commit');
    }));

  it('is what must be repaired: audit, repair by its report, audit again (#49)', () =>
    withPipelineRun(async ({ prepare, visit, read }) => {
      const { pipeline } = await prepare();
      const road: string[] = [];
      const go = (state: PipelineState, result: string) => {
        const next = advance(pipeline, NOTHING_ON, state, result);
        road.push(placeOf(next));
        return next;
      };
      const audit = await visit('audit', ['report: README.md:1 says hello', 'result: FIX']);
      let state = go(begin(pipeline, NOTHING_ON, 'audit'), audit.ended.result);
      const repair = await visit(
        'audit/audit-fix',
        ['run: cp "$WIGGUM_PARENT_REPORT" README.md', 'result: PASS'],
        { parent: audit.context },
      );
      state = go(state, repair.ended.result);
      const again = await visit('audit', [
        'run: grep -q "README.md:1 says hello" README.md',
        'result: PASS',
      ]);
      go(state, again.ended.result);
      expect(road).toEqual(['audit/audit-fix', 'audit', 'last']);
      expect(await read('README.md')).toBe('README.md:1 says hello\n');
    }));
});

const NOTHING_ON = { enabled: [], mappings: {} };

function placeOf(state: PipelineState): string {
  return state.kind === 'at' ? state.path.join('/') : state.kind;
}

async function variables(read: PipelineRun['read']): Promise<Record<string, string>> {
  const lines = (await read('../seen.txt')).split('\n').filter((line) => line.includes('='));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}
