import { beforeAll, describe, expect, it } from '@jest/globals';
import { planOf } from '../../config/agent-plan.ts';
import { loadRun, type LoadedRun } from '../../config/load-definitions.ts';
import { advance, begin, type PipelineState } from '../../workflows/domain/pipeline.ts';
import { unitsOf } from '../../workflows/domain/steps.ts';

const places = { ralphDir: '/nowhere/.ralph', environment: {} };
const config = { checks: [], runtime: {}, git: {}, workers: {}, agents: {} };
let runs: Record<'default' | 'fast', LoadedRun>;

beforeAll(async () => {
  const load = (pipeline: string) => loadRun({ taskId: 'AB-1', pipeline }, places);
  runs = { default: await load('default'), fast: await load('fast') };
});

/** The units that run when these results come, everything else passing. */
function road(
  name: 'default' | 'fast',
  results: Record<string, string[]>,
  enabled: string[] = [],
): string {
  const { pipeline } = runs[name];
  const context = { enabled, mappings: {} };
  const units: string[] = [];
  const seen: Record<string, number> = {};
  let state: PipelineState = begin(pipeline, context);
  while (state.kind === 'at') {
    const unit = state.path.at(-1) ?? '';
    const visit = (seen[unit] = (seen[unit] ?? 0) + 1);
    units.push(unit);
    state = advance(pipeline, context, state, results[unit]?.[visit - 1] ?? 'PASS');
  }
  return [...units, state.kind].join(' ');
}

const FIX = (times: number) => Array.from({ length: times }, () => 'FIX');

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
    ['ends when the implementation fails', { execution: ['FAIL'] }, 'execution aborted'],
    [
      'goes on when there is nothing to test or to document',
      { test: ['SKIP'], docs: ['SKIP'] },
      'execution summary audit test docs validation completed',
    ],
    [
      'ends when the validation still wants repairs after the last one',
      { validation: FIX(4) },
      'execution summary audit test docs validation validation-fix test docs validation validation-fix test docs validation aborted',
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

describe('the shipped agents', () => {
  it.each([
    ['product.plan-mode', 'ralph_loop', true, 'PASS FAIL', '5/60/1200'],
    ['engineering.software-engineer', 'ralph_loop', false, 'PASS FAIL', '20/50/10800'],
    ['system.task-summarizer', 'resume', true, 'PASS SKIP', '1/10/600'],
    ['engineering.security-audit', 'ralph_loop', true, 'PASS FIX FAIL', '8/60/2400'],
    ['engineering.security-fix', 'ralph_loop', false, 'PASS FIX FAIL', '10/80/7200'],
    ['engineering.test-coverage', 'ralph_loop', false, 'PASS FIX FAIL SKIP', '10/60/7200'],
    ['engineering.generic-fix', 'ralph_loop', false, 'PASS FIX FAIL', '10/80/7200'],
    ['product.documentation-writer', 'once', false, 'PASS SKIP', '1/100/600'],
    ['engineering.validation-review', 'ralph_loop', true, 'PASS FIX FAIL', '5/50/3600'],
    ['engineering.master-followup', 'ralph_loop', false, 'PASS FIX FAIL SKIP', '10/100/10800'],
  ])('include %s (#183, #200)', (type, mode, readonly, results, limits) => {
    const run = Object.values(runs).find(({ agents }) => agents[type]);
    const { step } = unitsOf(run?.pipeline ?? runs.default.pipeline).find(
      (unit) => unit.step.agent === type,
    ) ?? { step: undefined };
    const agent = run?.agents[type];
    if (!agent || !step) throw new Error(`no pipeline names ${type}`);
    const plan = planOf(agent, step, { environment: {}, config });
    expect([plan.mode, plan.readonly, plan.validResults.join(' ')]).toEqual([
      mode,
      readonly,
      results,
    ]);
    expect([plan.maxIterations, plan.maxTurns, plan.timeoutSeconds].join('/')).toBe(limits);
  });

  it('ask for each of their results in the form it is read in (#73)', () => {
    for (const { agents } of Object.values(runs))
      for (const { userPrompt, validResults, resultTag, reportTag, type } of Object.values(
        agents,
      )) {
        for (const result of validResults)
          expect(userPrompt).toContain(`<${resultTag}>${result}</${resultTag}>`);
        // An engineer's work is judged by the checklist, a planner's by the plan.
        const reports = !['engineering.software-engineer', 'product.plan-mode'].includes(type);
        expect(userPrompt.includes(`<${reportTag}>`)).toBe(reports);
      }
  });

  it('let the engineer work until the checklist is done (#89)', () => {
    expect(runs.default.agents['engineering.software-engineer']).toMatchObject({
      completionCheck: { kind: 'status-file', path: '{{worker_dir}}/prd.md' },
      supervisorInterval: 2,
    });
  });
});
