import { beforeAll, describe, expect, it } from '@jest/globals';
import type { LoadedRun } from '../../config/load-definitions.ts';
import { readShipped, roadOf, rowOf, shippedAgent, shippedPlan } from '../helpers/shipped-run.ts';

let read: Awaited<ReturnType<typeof readShipped>>;
let run: LoadedRun;

beforeAll(async () => {
  read = await readShipped('autofix');
  expect(read.problems).toEqual([]);
  if (read.run) run = read.run;
});

/** The first steps of a road; autofix goes on looking until its visits are used up. */
const beginning = (results: Record<string, string[]>, steps: number) =>
  roadOf(run, results).slice(0, steps).join(' ');

describe('the autofix pipeline', () => {
  it('loads without a notice, bounded as listed (#51, #63)', () => {
    expect(read.notices).toEqual([]);
    expect(run.pipeline.steps.map(({ id, max }) => `${id} ${max}`)).toEqual([
      'random-audit 50',
      'verify-fix 100',
      'quality-gate 100',
    ]);
  });

  it.each<[string, Record<string, string[]>, string]>([
    [
      'looks elsewhere when an audit finds nothing',
      { 'random-audit': ['PASS', 'PASS'] },
      'random-audit random-audit random-audit',
    ],
    [
      'repairs and judges what an audit found, then looks elsewhere',
      { 'random-audit': ['FAIL'] },
      'random-audit verify-fix quality-gate random-audit',
    ],
    [
      'looks elsewhere after a change that was turned down',
      { 'random-audit': ['FAIL'], 'quality-gate': ['FAIL'] },
      'random-audit verify-fix quality-gate random-audit',
    ],
    [
      'looks elsewhere after a finding that was refuted or could not be repaired',
      { 'random-audit': ['FAIL', 'FAIL', 'FAIL'], 'verify-fix': ['SKIP', 'FAIL'] },
      'random-audit verify-fix random-audit verify-fix random-audit verify-fix quality-gate',
    ],
    [
      'looks elsewhere when a step gives no result',
      {
        'random-audit': ['UNKNOWN', 'FAIL', 'FAIL'],
        'verify-fix': ['UNKNOWN'],
        'quality-gate': ['UNKNOWN'],
      },
      'random-audit random-audit verify-fix random-audit verify-fix quality-gate random-audit',
    ],
  ])('%s (#63)', (_title, results, expected) => {
    expect(beginning(results, expected.split(' ').length)).toBe(expected);
  });

  it('ends when the visits of all steps are used up (#48, #63)', () => {
    const road = roadOf(run, {});
    const visits = (step: string) => road.filter((name) => name === step).length;
    expect(['random-audit', 'verify-fix', 'quality-gate'].map(visits)).toEqual([50, 100, 100]);
    expect(road.at(-1)).toBe('completed');
  });

  it('gives its steps more room than their agents have by themselves (#58)', async () => {
    const plans = run.pipeline.steps.map((step) => shippedPlan(step.agent, step));
    const rows = (await Promise.all(plans)).map((plan) => [
      ...rowOf(plan),
      `supervised every ${plan.supervisorInterval}`,
    ]);
    expect(rows).toEqual([
      ['ralph_loop readonly', 'PASS FAIL', '5/120/1800', 'supervised every 0'],
      ['ralph_loop', 'PASS FAIL SKIP', '20/60/3600', 'supervised every 2'],
      ['ralph_loop', 'PASS FAIL', '3/120/3600', 'supervised every 0'],
    ]);
  });
});

describe('the autofix agents', () => {
  it.each([
    ['random-audit', 'ralph_loop readonly', 'PASS FAIL', '1/120/1800'],
    ['verify-fix', 'ralph_loop', 'PASS FAIL SKIP', '8/60/3600'],
    ['quality-gate', 'ralph_loop', 'PASS FAIL', '1/120/3600'],
  ])('include autofix.%s (#200)', async (name, ...row) => {
    expect(rowOf(await shippedPlan(`autofix.${name}`))).toEqual(row);
  });

  it('end well with a FAIL where it is an ordinary answer (#63)', async () => {
    for (const name of ['random-audit', 'quality-gate'])
      expect((await shippedAgent(`autofix.${name}`)).settings.resultMappings['FAIL']).toEqual({
        status: 'failure',
        exitCode: 0,
        defaultJump: 'next',
      });
  });

  it('name a finding in the five lines that tell it from others', async () => {
    const { userPrompt } = await shippedAgent('autofix.random-audit');
    const report = /<report>\n([^]*?)<\/report>/.exec(userPrompt)?.[1] ?? '';
    const names = report.split('\n').slice(1, 6);
    expect(names.map((line) => line.split(':')[0])).toEqual([
      'scope-type',
      'scope-target',
      'concern-type',
      'concern',
      'path',
    ]);
  });
});
