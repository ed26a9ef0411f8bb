import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { moveMarkers } from '../../../activities/board/move-markers.ts';
import { WORKER_PATHS, workerPath } from '../../../config/worker-files.ts';
import { withPipelineRun } from '../../helpers/with-pipeline-run.ts';

/* The seven ways in which any agent of a task reaches what any other left. */

describe('what an agent can have of any other', () => {
  it('is the path of everything there is, or that there is none (#87)', () =>
    withPipelineRun(async ({ visit, place, project }) => {
      const { workerDir } = place;
      const paths = async () =>
        Promise.all(WORKER_PATHS.map((kind) => workerPath({ workerDir, kind, name: 'execution' })));
      expect((await paths()).map(Boolean)).toEqual([false, false, false, false, true, true]);
      await visit('execution', ['report: built', 'result: PASS']);
      await project.write({ 'task-comments.md': 'x\n' }, workerDir);
      expect((await paths()).map((found) => found && path.relative(workerDir, found))).toEqual([
        'results/1700000101-test.worker-result.json',
        'reports/1700000101-test.worker-report.md',
        'summaries/summary.txt',
        'task-comments.md',
        'prd.md',
        'workspace',
      ]);
    }));

  it('is the newest result by the name of its agent (#87, #185)', () =>
    withPipelineRun(async ({ visit, place: { workerDir } }) => {
      await visit('execution', ['result: FIX']);
      await visit('audit', ['result: PASS']);
      await visit('last', ['result: FAIL']);
      const resultOf = async (name: string) => {
        const file = (await workerPath({ workerDir, kind: 'result', name })) ?? '';
        const record = JSON.parse(await readFile(file, 'utf8')) as { outputs: object };
        return record.outputs;
      };
      // Both `execution` and `last` are steps of this agent.
      expect(await resultOf('test.worker')).toMatchObject({ gate_result: 'FAIL' });
      expect(await resultOf('execution')).toMatchObject({ gate_result: 'FIX' });
      expect(await resultOf('test.auditor')).toMatchObject({ gate_result: 'PASS' });
    }));

  it('is the workspace with what was committed (#54)', () =>
    withPipelineRun(async ({ visit, read }) => {
      await visit('execution', ['write: { path: src/new.txt, content: "built" }', 'result: PASS']);
      await visit('last', [
        'run: git log -1 --format=%s > ../seen.txt && cat src/new.txt >> ../seen.txt',
        'result: PASS',
      ]);
      expect(await read('../seen.txt')).toBe('TASK-001: execution - test.worker\nbuilt');
    }));

  it('is the log of all events (#169)', () =>
    withPipelineRun(async ({ visit, read }) => {
      await visit('execution', ['result: PASS']);
      await visit('last', [
        'run: cp "$RALPH_DIR/logs/activity.jsonl" "$WIGGUM_WORKER_DIR/seen.txt"',
        'result: PASS',
      ]);
      const lines = (await read('../seen.txt')).trimEnd().split('\n');
      const events = lines.map((line) => JSON.parse(line) as { event: string; step_id?: string });
      const seen = events.map(({ event, step_id = '' }) => `${event} ${step_id}`.trim());
      expect(seen.filter((line) => !/iteration|turn/.test(line))).toEqual([
        'task.started',
        'step.started execution',
        'agent.started execution',
        'agent.completed execution',
        'step.completed execution',
        'step.started last',
        'agent.started last',
      ]);
      expect(seen).toContain('iteration.completed execution');
    }));

  it('is the checkpoint of each iteration (#187)', () =>
    withPipelineRun(async ({ visit, read }) => {
      const { context } = await visit('execution', [
        'write: { path: src/new.txt, content: "built" }',
        'say: I built the new file.',
        'result: PASS',
      ]);
      await visit('last', [
        `run: cp ../checkpoints/${context.runId}/checkpoint-0.json ../seen.txt`,
        'result: PASS',
      ]);
      expect(JSON.parse(await read('../seen.txt'))).toMatchObject({
        version: '1.0',
        iteration: 0,
        session_id: context.sessionId,
        files_modified: ['src/new.txt'],
        prose_summary: expect.stringContaining('I built the new file.'),
      });
    }));

  it('is the state of each task on the board', () =>
    withPipelineRun(async ({ visit, read, place: { ralphDir } }) => {
      await moveMarkers({ ralphDir, moves: [{ id: 'TASK-001', marker: '=' }] });
      await visit('last', [
        'run: grep -F TASK-001 "$RALPH_DIR/kanban.md" > ../seen.txt',
        'result: PASS',
      ]);
      expect(await read('../seen.txt')).toContain('- [=] **[TASK-001]**');
    }));

  it('is every report, summary and session log (#85, #90, #184)', () =>
    withPipelineRun(async ({ visit, read }) => {
      await visit('execution', ['say: Building now.', 'report: All is built.', 'result: PASS']);
      await visit('last', [
        'run: cat ../reports/* ../summaries/*/execution-0-summary.txt ../logs/*/execution-*.log > ../seen.txt',
        'result: PASS',
      ]);
      const seen = await read('../seen.txt');
      expect(seen).toContain('All is built.');
      for (const heading of ['Completed', 'In Progress', 'Blocked', 'Next Steps'])
        expect(seen).toContain(heading);
      expect(seen).toContain('"text":"Building now.');
    }));
});

describe('the folder of a task run', () => {
  it('holds all that the seeds list (#184, #203)', () =>
    withPipelineRun(async ({ visit, place, read }) => {
      await visit('execution', ['run: cat ../agent.pid > ../seen.txt', 'result: PASS']);
      expect(path.basename(place.workerDir)).toBe('worker-TASK-001-1700000000');
      expect(/worker-([A-Za-z]{2,10}-[0-9]{1,4})-.*/.exec(place.workerDir)?.[1]).toBe('TASK-001');
      await expectThere(place.workerDir, [
        ...['prd.md', 'activity.jsonl', 'gate_result'],
        ...['workspace/', 'live_sessions/', 'logs/', 'results/', 'reports/', 'summaries/'],
        ...['checkpoints/', 'output/', 'output/test.worker/'],
      ]);
      expect(await read('../gate_result')).toMatch(/^[A-Z]+\n$/);
      expect(await read('../seen.txt')).toMatch(/^\d+\n?$/);
    }));
});

async function expectThere(folder: string, names: string[]): Promise<void> {
  const there = names.map(async (name) => {
    const found = await stat(path.join(folder, name)).catch(() => undefined);
    return found?.isDirectory() === name.endsWith('/') ? name : `${name} is missing`;
  });
  expect(await Promise.all(there)).toEqual(names);
}
