import { widthOf } from './text.ts';

/** Puts parts on as few lines as fit; a part is never broken. */
export function wrap(parts: readonly string[], width: number, between = ' · '): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const longer = `${lines.at(-1)}${between}${part}`;
    if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines;
}
