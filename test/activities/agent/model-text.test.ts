import { describe, expect, it } from '@jest/globals';
import { lastResult, ModelText } from '../../../activities/agent/model-text.ts';

const tags = { resultTag: 'result', reportTag: 'report', validResults: ['PASS', 'FIX', 'FAIL'] };

function said(...pieces: string[]): ModelText {
  const text = new ModelText(tags);
  pieces.forEach((piece) => text.add(piece));
  return text;
}

describe('the result in what a model said', () => {
  it.each([
    ['the only tag (#79)', '<result>PASS</result>', 'PASS'],
    ['the last of several (#79)', '<result>FAIL</result> no: <result>FIX</result>', 'FIX'],
    [
      'the last of several, whatever it is (#79)',
      '<result>PASS</result><result>FAIL</result>',
      'FAIL',
    ],
    [
      'one in a fenced block (#79)',
      '<result>FIX</result>\n```\n<result>PASS</result>\n```',
      'PASS',
    ],
    ['the last valid one (#79)', '<result>FIX</result> <result>MAYBE</result>', 'FIX'],
    ['one of two that overlap', '<result><result>PASS</result>', 'PASS'],
    ['none in lower case', '<result>pass</result>', undefined],
    ['none with blanks inside', '<result> PASS </result>', undefined],
    ['none that is cut off', '<result>PASS', undefined],
    ['none where there is none (#81)', 'All done.', undefined],
  ])('is %s', (_title, text, expected) => {
    expect(said(text).result).toBe(expected);
  });

  it('is found under the tag that the agent declares (#83)', () => {
    const text = '<verdict>PASS</verdict> <result>FAIL</result>';
    expect(lastResult(text, { resultTag: 'verdict', validResults: ['PASS'] })).toBe('PASS');
  });

  it('is not made of two pieces', () => {
    expect(said('<result>PA', 'SS</result>').result).toBeUndefined();
  });

  it('stays known when the text before it is forgotten', () => {
    const text = new ModelText(tags, 100);
    text.add('<result>FIX</result><report>early</report>');
    for (let piece = 0; piece < 50; piece += 1) text.add('x'.repeat(50));
    expect(text.tail.length).toBeLessThanOrEqual(100);
    expect([text.result, text.report]).toEqual(['FIX', 'early']);
    text.add('<result>PASS</result>');
    expect(text.result).toBe('PASS');
  });
});

describe('the report in what a model said', () => {
  it.each([
    ['the inside of its block', '<report>\nfine\n</report>', 'fine'],
    ['the last complete block (#185)', '<report>one</report> <report>two</report>', 'two'],
    ['the complete block before one that is cut off', '<report>one</report> <report>two', 'one'],
    ['nothing without a block', 'report: fine', undefined],
    ['nothing when only closed', 'fine</report>', undefined],
    ['empty when the block is', '<report></report>', ''],
  ])('is %s', (_title, text, expected) => {
    expect(said(text).report).toBe(expected);
  });

  it('is found under the tag that the agent declares (#83)', () => {
    const text = new ModelText({ ...tags, reportTag: 'findings' });
    text.add('<findings>ours</findings> <report>other</report>');
    expect(text.report).toBe('ours');
  });

  it('may come in pieces', () => {
    expect(said('<report>one', 'two</report>').report).toBe('one\ntwo');
  });
});
