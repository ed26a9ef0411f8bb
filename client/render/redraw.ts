/** Control sequences that replace the lines drawn last by others; nothing else moves. */
export function redraw(previousLines: number, lines: readonly string[]): string {
  const up = previousLines > 0 ? `\u001b[${previousLines}A\r` : '';
  return `${up}\u001b[0J${lines.map((line) => `${line}\n`).join('')}`;
}

/** Keeps a drawing inside the screen: what scrolled away could not be replaced. */
export function clip(lines: readonly string[], rows: number): string[] {
  const room = Math.max(1, rows - 1);
  if (lines.length <= room) return [...lines];
  return [...lines.slice(0, room - 1), `… and ${lines.length - room + 1} more lines`];
}
