/** Makes text of others safe for a terminal: control characters become visible, on one line. */
export function printable(text: string): string {
  return text.replace(/[\t\n\r]/g, ' ').replace(CONTROLS, visible);
}

/** The same for text of many lines, which keeps its lines and tabs. */
export function printableText(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(CONTROLS, (character) =>
      character === '\n' || character === '\t' ? character : visible(character),
    );
}

/** How many columns a terminal gives to a text. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of SEGMENTS.segment(text)) width += isWide(segment) ? 2 : 1;
  return width;
}

/** Cuts text to a width; an ellipsis tells that something is missing. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of SEGMENTS.segment(text)) {
    const next = isWide(segment) ? 2 : 1;
    if (used + next > width - 1) break;
    kept += segment;
    used += next;
  }
  return width > 0 ? `${kept}…` : '';
}

/** Cuts or fills text to exactly a width. */
export function fit(text: string, width: number): string {
  const short = cut(text, width);
  return short + ' '.repeat(Math.max(0, width - widthOf(short)));
}

// Also the bidirectional marks and line separators that can make a line lie about itself.
const CONTROLS =
  // eslint-disable-next-line no-control-regex -- these are the characters that are looked for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

function visible(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

const SEGMENTS = new Intl.Segmenter('en', { granularity: 'grapheme' });
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

function isWide(grapheme: string): boolean {
  return WIDE.test(grapheme);
}
