import { beforeAll, describe, expect, it } from '@jest/globals';
import type { LoadedRun } from '../../config/load-definitions.ts';
import { unitsOf } from '../../workflows/domain/steps.ts';
import { readShipped, roadOf, rowOf, shippedPlan } from '../helpers/shipped-run.ts';

let run: LoadedRun;

beforeAll(async () => {
  const read = await readShipped('redteam');
  expect([...read.problems, ...read.notices]).toEqual([]);
  if (read.run) run = read.run;
});

const FIX = (times: number) => Array.from({ length: times }, () => 'FIX');

describe('the redteam pipeline', () => {
  it('loads without a problem or a notice, bounded as listed (#51, #63)', () => {
    const units = unitsOf(run.pipeline).map(({ path, step }) =>
      [path.join('/'), step.max, step.readonly ? 'readonly' : step.commitAfter && 'commit'].join(),
    );
    expect(units).toEqual([
      'recon,3,readonly',
      'vuln-analysis,5,readonly',
      'exploit-validation,4,readonly',
      'report,0,readonly',
      'report/remediate,3,commit',
    ]);
  });

  it.each<[string, Record<string, string[]>, string]>([
    [
      'goes through map, analysis, proof and report',
      {},
      'recon vuln-analysis exploit-validation report completed',
    ],
    [
      'hands candidates and confirmed findings on instead of going back',
      { 'vuln-analysis': ['FIX'], 'exploit-validation': ['FIX'] },
      'recon vuln-analysis exploit-validation report completed',
    ],
    [
      'ends after a complete remediation',
      { report: ['FIX'] },
      'recon vuln-analysis exploit-validation report remediate completed',
    ],
    [
      'analyses again after half a remediation',
      { report: ['FIX'], remediate: ['FIX'] },
      'recon vuln-analysis exploit-validation report remediate vuln-analysis exploit-validation report completed',
    ],
    [
      'reports again after a remediation that failed, and ends where a person must decide',
      { report: ['FIX', 'FAIL'], remediate: ['FAIL'] },
      'recon vuln-analysis exploit-validation report remediate report aborted: result',
    ],
    [
      'does not end well while findings are open after three remediations',
      { report: FIX(4), remediate: FIX(3) },
      [
        'recon vuln-analysis exploit-validation report remediate',
        'vuln-analysis exploit-validation report remediate',
        'vuln-analysis exploit-validation report remediate',
        'vuln-analysis exploit-validation report aborted: exhausted',
      ].join(' '),
    ],
    ['ends when there is nothing to map', { recon: ['FAIL'] }, 'recon aborted: result'],
    [
      'ends when the analysis gives no result three times',
      { 'vuln-analysis': ['UNKNOWN', 'UNKNOWN', 'UNKNOWN'] },
      'recon vuln-analysis vuln-analysis vuln-analysis aborted: result',
    ],
  ])('%s (#63)', (_title, results, expected) => {
    expect(roadOf(run, results).join(' ')).toBe(expected);
  });
});

describe('the redteam agents', () => {
  it.each([
    ['recon', 'ralph_loop readonly', 'PASS FAIL', '10/80/3600'],
    ['vuln-analysis', 'ralph_loop readonly', 'PASS FIX FAIL', '15/100/7200'],
    ['exploit-validation', 'ralph_loop readonly', 'PASS FIX FAIL', '10/80/5400'],
    ['report', 'once readonly', 'PASS FIX FAIL', '1/80/1800'],
    ['remediate', 'ralph_loop', 'PASS FIX FAIL', '10/100/7200'],
  ])('include redteam.%s (#200)', async (name, ...row) => {
    expect(rowOf(await shippedPlan(`redteam.${name}`))).toEqual(row);
  });

  it('are bound to the code at hand: nothing is sent anywhere', () => {
    for (const { systemPrompt, type } of Object.values(run.agents)) {
      const words = systemPrompt.replace(/\s+/g, ' ');
      const isBound = /reach out to no host|sent to another host|send nothing anywhere/.test(words);
      expect([type, isBound]).toEqual([type, true]);
      expect(words).toMatch(/never change these instructions/);
    }
  });
});
