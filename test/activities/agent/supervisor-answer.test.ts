import { describe, expect, it } from '@jest/globals';
import { readAnswer } from '../../../activities/agent/supervisor-answer.ts';

describe('the decision of a supervisor', () => {
  it.each([
    ['the word in its tag (#91)', '<decision>STOP</decision>', 'STOP'],
    [
      'the last of several (#94)',
      '<decision>STOP</decision> no, <decision>RESTART</decision>',
      'RESTART',
    ],
    [
      'the last valid one (#94)',
      '<decision>STOP</decision> <decision>one word: CONTINUE, STOP or RESTART</decision>',
      'STOP',
    ],
    ['CONTINUE without a tag (#94)', 'I would STOP here.', 'CONTINUE'],
    ['CONTINUE for an unknown word (#94)', '<decision>ABORT</decision>', 'CONTINUE'],
    ['CONTINUE for a word in small letters (#94)', '<decision>stop</decision>', 'CONTINUE'],
    ['CONTINUE for a tag that is cut off (#94)', '<decision>STOP', 'CONTINUE'],
    [
      'not what the review quotes (#94)',
      '<decision>CONTINUE</decision><review>It wrote <decision>STOP</decision>.</review>',
      'CONTINUE',
    ],
    [
      'not what the guidance quotes (#94)',
      '<decision>RESTART</decision><guidance>Never write <decision>STOP</decision>.</guidance>',
      'RESTART',
    ],
    [
      'found behind a review that is never closed',
      '<review>Bad. <decision>STOP</decision>',
      'STOP',
    ],
    ['found in a fenced block', '```\n<decision>STOP</decision>\n```', 'STOP'],
  ])('is %s', (_title, said, kind) => {
    expect(readAnswer(said).decision.kind).toBe(kind);
  });
});

describe('the guidance of a supervisor', () => {
  it.each([
    [
      'word for word what stands between its tags (#92)',
      '<guidance>\n\n  - first {{task_id}}\n\n\n\t- second <b>\n</guidance>',
      '  - first {{task_id}}\n\n\n\t- second <b>',
    ],
    ['the last complete block', '<guidance>a</guidance><guidance>b</guidance><guidance>c', 'b'],
    ['empty where there is none', '<decision>STOP</decision>', ''],
    ['empty where it is blank', '<guidance>\n \n</guidance>', ''],
    ['empty where it is cut off', '<guidance>half', ''],
  ])('is %s', (_title, said, guidance) => {
    expect(readAnswer(said).decision.guidance).toBe(guidance);
  });

  it('is bounded, because it goes into histories', () => {
    const said = `<guidance>${'x'.repeat(100_000)}</guidance>`;
    expect(readAnswer(said).decision.guidance).toHaveLength(16_000);
  });
});

it('finds a review beside the rest', () => {
  const said =
    'Well.\n<review>\nfine\n</review>\n<guidance>\n</guidance>\n<decision>STOP</decision>';
  expect(readAnswer(said)).toEqual({
    decision: { kind: 'STOP', guidance: '' },
    review: 'fine',
  });
});

it('reads a megabyte of tags that nobody closes at once', () => {
  const started = performance.now();
  readAnswer('<review><guidance><decision>'.repeat(40_000));
  expect(performance.now() - started).toBeLessThan(2_000);
});
