import { SUMMARY_HEADINGS } from './prompt.ts';

export type SummaryHeading = (typeof SUMMARY_HEADINGS)[number];

const MAX_ITEMS = 100;
const MAX_CHARACTERS = 500;
const NOTHING = /^\W*(nothing|none|not said|n\/a)\W*$/i;
const BULLET = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[.\]\s+)?/;

/** The points under one heading of a summary, as far as the agent kept to the form. */
export function itemsUnder(summary: string, heading: SummaryHeading): string[] {
  const lines = summary.split('\n');
  const from = lines.findLastIndex((line) => headingIn(line) === heading);
  if (from < 0) return [];
  const length = lines.slice(from + 1).findIndex(isHeading);
  const section = lines.slice(from + 1, length < 0 ? undefined : from + 1 + length);
  const points = section.some((line) => BULLET.test(line))
    ? section.filter((line) => BULLET.test(line))
    : section;
  return boundedItems(points.map((line) => line.replace(BULLET, '')));
}

/** Bounds a list that goes into a record. */
export function boundedItems(items: readonly string[]): string[] {
  return items
    .map((item) => item.trim().slice(0, MAX_CHARACTERS))
    .filter((item) => item !== '' && !NOTHING.test(item))
    .slice(0, MAX_ITEMS);
}

function isHeading(line: string): boolean {
  return /^#{1,6}\s/.test(line) || headingIn(line) !== undefined;
}

// `## Next Steps`, `**Next Steps:**` and a bare `Next Steps:` are the same to us.
function headingIn(line: string): SummaryHeading | undefined {
  const words = line
    .replace(/[#*_:]/g, ' ')
    .trim()
    .replace(/\s+/g, ' ')
    .toLowerCase();
  return SUMMARY_HEADINGS.find((heading) => heading.toLowerCase() === words);
}
