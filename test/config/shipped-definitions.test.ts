import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { pipelineFiles } from '../../config/find-definitions.ts';
import type { LoadedRun } from '../../config/load-definitions.ts';
import { unitKey, unitsOf } from '../../workflows/domain/steps.ts';
import { readShipped, roadOf } from '../helpers/shipped-run.ts';

const ELSEWHERE = ['autofix', 'redteam']; // have tests of their own
const HERE = [
  'default',
  'failure-recovery',
  'fast',
  'fix',
  'intent-distill',
  'memory-extract',
  'meta-codebase-health',
  'meta-self-improve',
  'meta-todo-hunter',
  'multi-pr-resolve',
];
const runs = new Map<string, LoadedRun>();

beforeAll(async () => {
  for (const name of HERE) {
    const { run } = await readShipped(name);
    if (run) runs.set(name, run);
  }
});

function shipped(name: string): LoadedRun {
  const run = runs.get(name);
  if (!run) throw new Error(`${name} does not load`);
  return run;
}

const road = (name: string, results: Record<string, string[]>, enabled?: string[]) =>
  roadOf(shipped(name), results, enabled).join(' ');

const FIX = (times: number) => Array.from({ length: times }, () => 'FIX');

describe('the shipped pipelines', () => {
  it('are these (#63)', async () => {
    const files = await pipelineFiles({ ralphDir: '/nowhere/.ralph', environment: {} });
    const names = files.map((file) => path.basename(file, '.json'));
    expect(names.sort()).toEqual([...HERE, ...ELSEWHERE].sort());
  });

  it.each(HERE)('%s loads without a problem or a notice (#51, #60)', async (name) => {
    const { problems, notices } = await readShipped(name);
    expect(problems).toEqual([]);
    expect(notices).toEqual([]);
    expect(shipped(name).pipeline.name).toBe(name);
  });

  it.each([
    [
      'default',
      [
        'planning product.plan-mode readonly if WIGGUM_PLAN_MODE',
        'execution engineering.software-engineer 2 commit 20/50 supervised 2',
        'summary system.task-summarizer readonly',
        'audit engineering.security-audit 4 readonly',
        'audit/audit-fix engineering.security-fix 2 commit',
        'test engineering.test-coverage 4 commit',
        'test/test-fix engineering.generic-fix 2 commit',
        'docs product.documentation-writer commit',
        'validation engineering.validation-review 4 or abort readonly',
        'validation/validation-fix engineering.generic-fix 2 or abort commit',
      ],
    ],
    [
      'fast',
      [
        'planning product.plan-mode readonly if WIGGUM_PLAN_MODE',
        'execution engineering.software-engineer 2 commit 20/50 supervised 2',
        'summary system.task-summarizer readonly',
        'master-followup engineering.master-followup 3 commit',
        'master-followup/master-followup-fix engineering.generic-fix 3 commit',
        'validation engineering.validation-review 6 or abort readonly',
        'validation/validation-fix engineering.generic-fix 2 or abort commit',
      ],
    ],
    [
      'fix',
      [
        'pr-fix engineering.pr-comment-fix 3 or abort commit',
        'sync-main workflow.git-sync-main 3 or abort',
        'sync-main/resolve engineering.git-conflict-resolver 3 or abort',
        'test-run engineering.test-runner 3 or abort readonly',
        'test-run/test-fix engineering.generic-fix 2 or abort commit',
        'commit-push workflow.git-commit-push 2 or abort',
        'merge workflow.pr-merge 2 or abort',
      ],
    ],
    [
      'multi-pr-resolve',
      [
        'wait-turn workflow.batch-wait-turn',
        'wait-turn/turn-failed workflow.batch-signal-failed 1 or abort',
        'sync-main workflow.git-sync-main',
        'resolve engineering.git-conflict-resolver 3 or abort commit',
        'resolve/resolve-failed workflow.batch-signal-failed 1 or abort',
        'test-run engineering.test-runner 3 or abort readonly',
        'test-run/test-fix engineering.generic-fix 2 or abort commit',
        'test-run/test-failed workflow.batch-signal-failed 1 or abort',
        'commit-push workflow.git-commit-push',
        'commit-push/push-failed workflow.batch-signal-failed 1 or abort',
        'merge workflow.pr-merge',
        'merge/merge-failed workflow.batch-signal-failed 1 or abort',
        'signal-done workflow.batch-signal-done',
      ],
    ],
    [
      'failure-recovery',
      [
        'failure-summarize system.failure-summarizer 1 or abort readonly',
        'failure-resolve system.failure-resolver 2 or abort commit',
      ],
    ],
    ['intent-distill', ['distill engineering.intent-distill 2 or abort readonly']],
    ['memory-extract', ['analyze system.memory-analyst 1 or abort readonly 1/20']],
    ['meta-codebase-health', ['scan system.codebase-health 1 or abort commit 1/40']],
    ['meta-todo-hunter', ['hunt system.todo-hunter 1 or abort commit 1/40']],
    ['meta-self-improve', ['improve system.self-improver 1 or abort commit 1/50']],
  ])('%s has the steps, bounds and limits listed for it (#61, #63)', (name, expected) => {
    const rows = unitsOf(shipped(name).pipeline).map(({ path: at, step }) => {
      const config = step.config as Record<string, number | undefined>;
      const { max_iterations: iterations, max_turns: turns, supervisor_interval } = config;
      return [
        unitKey(at),
        step.agent,
        ...(step.max > 0 ? [String(step.max)] : []),
        ...(step.onMax === 'next' ? [] : [`or ${step.onMax}`]),
        ...(step.readonly ? ['readonly'] : []),
        ...(step.commitAfter ? ['commit'] : []),
        ...(step.enabledBy === undefined ? [] : [`if ${step.enabledBy}`]),
        ...(iterations === undefined ? [] : [`${iterations}/${turns}`]),
        ...(supervisor_interval === undefined ? [] : [`supervised ${supervisor_interval}`]),
      ].join(' ');
    });
    expect(rows).toEqual(expected);
  });
});

describe('the default pipeline', () => {
  it('runs execution, summary, audit, test, docs and validation (#61)', () => {
    const all = 'execution summary audit test docs validation completed';
    expect(road('default', {})).toBe(all);
    expect(road('default', {}, ['WIGGUM_PLAN_MODE'])).toBe(`planning ${all}`);
  });

  it.each<[string, Record<string, string[]>, string]>([
    [
      'repairs what the audit found and audits again',
      { audit: ['FIX'] },
      'execution summary audit audit-fix audit test docs validation completed',
    ],
    [
      'goes on to test after two repairs of the audit',
      { audit: FIX(4) },
      'execution summary audit audit-fix audit audit-fix audit test docs validation completed',
    ],
    [
      'repairs what the tests found and tests again',
      { test: ['FIX'] },
      'execution summary audit test test-fix test docs validation completed',
    ],
    ['ends when the implementation fails', { execution: ['FAIL'] }, 'execution aborted: result'],
    [
      'ends when the design is unsafe',
      { audit: ['FAIL'] },
      'execution summary audit aborted: result',
    ],
    [
      'goes on when there is nothing to test or to document',
      { test: ['SKIP'], docs: ['SKIP'] },
      'execution summary audit test docs validation completed',
    ],
    [
      'ends when the validation still wants repairs after the last one',
      { validation: FIX(4) },
      'execution summary audit test docs validation validation-fix test docs validation validation-fix test docs validation aborted: exhausted',
    ],
  ])('%s (#63)', (_title, results, expected) => {
    expect(road('default', results)).toBe(expected);
  });

  it('returns to test after a repair, to execution after half a one (#62)', () => {
    expect(road('default', { validation: ['FIX'] })).toBe(
      'execution summary audit test docs validation validation-fix test docs validation completed',
    );
    expect(road('default', { validation: ['FIX'], 'validation-fix': ['FIX'] })).toBe(
      'execution summary audit test docs validation validation-fix execution summary audit test docs validation completed',
    );
  });
});

describe('the fast pipeline', () => {
  it('follows up in one step before the validation (#63)', () => {
    expect(road('fast', {})).toBe('execution summary master-followup validation completed');
    expect(road('fast', { 'master-followup': ['FIX'] })).toBe(
      'execution summary master-followup master-followup-fix master-followup validation completed',
    );
  });

  it('returns to the follow-up after a repair, to execution after half a one (#62)', () => {
    expect(road('fast', { validation: ['FIX'] })).toBe(
      'execution summary master-followup validation validation-fix master-followup validation completed',
    );
    expect(road('fast', { validation: ['FIX'], 'validation-fix': ['FIX'] })).toBe(
      'execution summary master-followup validation validation-fix execution summary master-followup validation completed',
    );
  });
});
