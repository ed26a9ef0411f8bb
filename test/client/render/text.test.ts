import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cut, fit, printable, printableText, widthOf } from '../../../client/render/text.ts';

describe('printable', () => {
  it.each([
    ['a colour sequence', '\u001b[31mred', '\\u{1b}[31mred'],
    ['a title that renames the window', '\u001b]0;x\u0007', '\\u{1b}]0;x\\u{7}'],
    ['a C1 control', '\u009b2J', '\\u{9b}2J'],
    ['a bidirectional override', 'abc\u202edef', 'abc\\u{202e}def'],
    ['an Arabic letter mark', 'a\u061cb', 'a\\u{61c}b'],
    ['NUL and DEL', '\u0000\u007f', '\\u{0}\\u{7f}'],
  ])('makes %s visible', (_title, text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  it('puts everything on one line', () => {
    expect(printable('one\ntwo\r\tthree')).toBe('one two  three');
  });

  it('leaves letters, signs and emoji of any script alone', () => {
    const text = 'Grüße “quoted” $HOME `x` \\ 漢字 🚀 é';
    expect(printable(text)).toBe(text);
  });

  it('lets no control character through, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // eslint-disable-next-line no-control-regex -- these must not be there
        expect(printable(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
      }),
    );
  });
});

describe('printableText', () => {
  it('keeps lines and tabs and shows the rest', () => {
    expect(printableText('a\tb\r\nc\u001b[2Jd\n')).toBe('a\tb\nc\\u{1b}[2Jd\n');
  });

  it('shows a lone carriage return, which would overwrite the line', () => {
    expect(printableText('honest\rlie')).toBe('honest\\u{d}lie');
  });
});

describe('widths', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['漢字', 4],
    ['é', 1],
    ['🚀', 2],
    ['👩‍🚀', 2],
    ['한국', 4],
  ])('counts the columns of "%s" as %d', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  it.each([
    ['short', 10, 'short'],
    ['exactly', 7, 'exactly'],
    ['too long', 5, 'too …'],
    ['漢字漢字', 5, '漢字…'],
    ['漢字漢字', 4, '漢…'],
    ['anything', 0, ''],
  ])('cuts "%s" to %d columns', (text, width, expected) => {
    expect(cut(text, width)).toBe(expected);
  });

  it('fits any text to exactly the asked width', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, width) => {
        expect(widthOf(fit(printable(text), width))).toBe(width);
      }),
    );
  });
});
