const KEEP_CHARACTERS = 1 << 20;

export interface Tags {
  resultTag: string;
  reportTag: string;
  validResults: readonly string[];
}

/** The model's own words, bounded: what is dropped from the front was searched before. */
export class ModelText {
  private text = '';
  private foundResult: string | undefined;
  private foundReport: string | undefined;
  private readonly tags: Tags;
  private readonly keep: number;

  constructor(tags: Tags, keep = KEEP_CHARACTERS) {
    this.tags = tags;
    this.keep = keep;
  }

  /** Adds one piece of text, as the model said it. */
  add(piece: string): void {
    this.text += this.text === '' ? piece : `\n${piece}`;
    if (this.text.length <= 2 * this.keep) return;
    this.search();
    this.text = this.text.slice(-this.keep);
  }

  /** The last valid result tag. */
  get result(): string | undefined {
    this.search();
    return this.foundResult;
  }

  /** The inside of the last complete report block. */
  get report(): string | undefined {
    this.search();
    return this.foundReport;
  }

  /** The end of the text. */
  get tail(): string {
    return this.text.slice(-this.keep);
  }

  private search(): void {
    this.foundResult = lastResult(this.text, this.tags) ?? this.foundResult;
    this.foundReport = findBlock(this.text, this.tags.reportTag)?.inside.trim() ?? this.foundReport;
  }
}

/** Finds the last valid result tag in a text; values that are not valid do not count, also when they come later. */
export function lastResult(
  text: string,
  { resultTag, validResults }: Pick<Tags, 'resultTag' | 'validResults'>,
): string | undefined {
  let last: { at: number; value: string } | undefined;
  for (const value of validResults) {
    const at = text.lastIndexOf(`<${resultTag}>${value}</${resultTag}>`);
    if (at >= 0 && at > (last?.at ?? -1)) last = { at, value };
  }
  return last?.value;
}

/** A complete block of a text: from its opening tag to behind its closing one. */
export interface Block {
  from: number;
  to: number;
  inside: string;
}

/** Finds the last complete block. From the last opening that is closed to its first closing: stray tags around it do not spoil it. */
export function findBlock(text: string, tag: string): Block | undefined {
  const [opening, closing] = [`<${tag}>`, `</${tag}>`];
  const from = text.lastIndexOf(opening, text.lastIndexOf(closing));
  const end = from < 0 ? -1 : text.indexOf(closing, from);
  if (end < 0) return undefined;
  return { from, to: end + closing.length, inside: text.slice(from + opening.length, end) };
}
