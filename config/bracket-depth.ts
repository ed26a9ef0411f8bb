/** The most that brackets may nest in a file of ours; a hundred handlers in each other need 205. */
export const MAX_DEPTH = 250;

/**
 * How deep brackets nest in a text. To be asked before a parser is: one that runs out of stack can end the
 * whole process (seen with yaml 2.9 on Node 20), where nothing can be caught.
 */
export function bracketDepth(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const character of text)
    if (character === '[' || character === '{') deepest = Math.max(deepest, (depth += 1));
    else if (character === ']' || character === '}') depth -= 1;
  return deepest;
}
