import { describe, expect, it } from '@jest/globals';
import { finalFault, type StepRecord } from '../../../workflows/domain/task.ts';
import { aStepRecord } from '../../helpers/a-step-record.ts';

type Work = Parameters<typeof finalFault>[0];

describe('finalFault', () => {
  it.each<[string, Partial<Work>, string | undefined]>([
    ['lets finished work pass', {}, undefined],
    [
      'lets validated work pass',
      { stepIds: ['build', 'validation'], steps: [step('validation', 'PASS')] },
      undefined,
    ],
    ['does not ask for a validation that the pipeline lacks', { stepIds: ['build'] }, undefined],
    ['stops at an open item', { openItems: ['Write it'] }, 'open checklist items: Write it'],
    ['stops at a failed item', { failedItems: ['Write it'] }, 'failed checklist items: Write it'],
    [
      'names three items and counts the others',
      { openItems: ['a', 'b', 'c', 'd', 'e'] },
      'open checklist items: a; b; c; and 2 more',
    ],
    [
      'names what failed before what is open',
      { openItems: ['a'], failedItems: ['b'] },
      'failed checklist items: b',
    ],
    [
      'stops when validation says FAIL',
      { stepIds: ['validation'], steps: [step('validation', 'FAIL')] },
      'validation ended with FAIL',
    ],
    [
      'stops when validation has no valid result',
      { stepIds: ['validation'], steps: [step('validation', 'UNKNOWN')] },
      'validation-missing: the validation step gave no valid result',
    ],
    [
      'stops when validation was never reached',
      { stepIds: ['build', 'validation'], steps: [step('build', 'PASS')] },
      'validation-missing: the validation step gave no valid result',
    ],
    ['stops when test says FIX', { steps: [step('test', 'FIX')] }, 'test ended with FIX'],
    ['stops when test says FAIL', { steps: [step('test', 'FAIL')] }, 'test ended with FAIL'],
    ['lets a skipped test pass', { steps: [step('test', 'SKIP')] }, undefined],
    [
      'counts the last visit of a step',
      { steps: [step('test', 'FIX'), step('test', 'PASS')] },
      undefined,
    ],
    [
      'counts the last visit also when it is the worse one',
      { steps: [step('test', 'PASS'), step('build', 'PASS'), step('test', 'FAIL')] },
      'test ended with FAIL',
    ],
    ['leaves other steps to the pipeline', { steps: [step('audit', 'FAIL')] }, undefined],
  ])('%s (#120)', (_title, work, expected) => {
    expect(finalFault({ openItems: [], failedItems: [], steps: [], stepIds: [], ...work })).toBe(
      expected,
    );
  });
});

function step(name: string, result: string): StepRecord {
  return aStepRecord({ step: name, result });
}
