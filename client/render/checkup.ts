import type { Check } from '../checkup/check.ts';
import { counted } from './amounts.ts';
import { printable } from './text.ts';

const WORDS: Record<Check['level'], { word: string; colour: number }> = {
  pass: { word: 'PASS', colour: 32 },
  warn: { word: 'WARN', colour: 33 },
  fail: { word: 'FAIL', colour: 31 },
};

/** One line per check, its advice below it, and the counts; quiet leaves the failures. */
export function checkupLines(
  checks: readonly Check[],
  { colour, quiet }: { colour: boolean; quiet: boolean },
): string[] {
  const shown = quiet ? checks.filter(({ level }) => level === 'fail') : checks;
  const width = Math.max(0, ...shown.map(({ name }) => name.length));
  const lines = shown.flatMap(({ name, level, found, advice }) => {
    const { word, colour: code } = WORDS[level];
    const mark = colour ? `\u001b[${code}m${word}\u001b[0m` : word;
    return [
      `${mark}  ${name.padEnd(width)}  ${printable(found)}`,
      ...(advice === undefined ? [] : [`        ${' '.repeat(width)}→ ${printable(advice)}`]),
    ];
  });
  return quiet ? lines : [...lines, '', summary(checks)];
}

function summary(checks: readonly Check[]): string {
  const count = (wanted: Check['level']) => checks.filter(({ level }) => level === wanted).length;
  const parts = [
    `${count('pass')} passed`,
    counted(count('warn'), 'warning'),
    counted(count('fail'), 'failure'),
  ];
  return parts.join(', ');
}
