/** The name that somebody probably meant, when one is near enough. */
export function nearestName(word: string, names: Iterable<string>): string | undefined {
  const near = Math.min(word.length - 1, Math.max(1, Math.floor(word.length / 3)));
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    // Too long or too short to be near, and no table for a word of a megabyte.
    if (Math.abs(name.length - word.length) > near) continue;
    const distance = editDistance(word.toLowerCase(), name.toLowerCase());
    if (!best || distance < best.distance) best = { name, distance };
  }
  return best && best.distance <= near ? best.name : undefined;
}

/** A question for the end of a message, or nothing. */
export function didYouMean(word: string, names: Iterable<string>): string {
  const name = nearestName(word, names);
  return name === undefined ? '' : `; did you mean "${name}"?`;
}

/** Letters added, lost, changed, or swapped with their neighbour. */
function editDistance(from: string, to: string): number {
  const table = [Array.from({ length: to.length + 1 }, (_, index) => index)];
  const at = (i: number, j: number) => table[i]?.[j] ?? Infinity;
  for (let i = 1; i <= from.length; i += 1) {
    table.push([i]);
    for (let j = 1; j <= to.length; j += 1) {
      const changed = at(i - 1, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwap = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwap ? at(i - 2, j - 2) + 1 : Infinity;
      table[i]?.push(Math.min(changed, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1));
    }
  }
  return at(from.length, to.length);
}
