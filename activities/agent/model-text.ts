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
    this.foundReport = lastBlock(this.text, this.tags.reportTag) ?? this.foundReport;
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

// From the last opening that is closed to its first closing: stray tags around a block do not spoil it.
function lastBlock(text: string, tag: string): string | undefined {
  const [opening, closing] = [`<${tag}>`, `</${tag}>`];
  const from = text.lastIndexOf(opening, text.lastIndexOf(closing));
  if (from < 0 || !text.includes(closing, from)) return undefined;
  return text.slice(from + opening.length, text.indexOf(closing, from)).trim();
}
