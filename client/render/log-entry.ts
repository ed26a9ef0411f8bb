import type { LogEntry } from '../log-entry.ts';
import { counted, dollars } from './amounts.ts';
import { cut, printable, printableText } from './text.ts';

const RESULT_LINES = 8;
const DETAIL_WIDTH = 300;

/** An entry as lines: who begins, what is said, which tools are used and what they brought. */
export function entryLines(entry: LogEntry, { colour }: { colour: boolean }): string[] {
  const paint = (code: number, line: string) => (colour ? `\u001b[${code}m${line}\u001b[0m` : line);
  switch (entry.kind) {
    case 'start': {
      const purpose = entry.purpose === 'work' ? '' : ` · ${printable(entry.purpose)}`;
      const again = entry.attempt > 1 ? ` · attempt ${entry.attempt}` : '';
      const round = `iteration ${entry.iteration + 1}`;
      return ['', paint(1, `── ${printable(entry.agent)} · ${round}${purpose}${again}`)];
    }
    case 'text':
      return printableText(entry.text).trimEnd().split('\n');
    case 'tool': {
      const detail = cut(printable(entry.detail), DETAIL_WIDTH);
      return [paint(36, `→ ${printable(entry.name)}${detail ? ` ${detail}` : ''}`)];
    }
    case 'tool-result': {
      const lines = printableText(entry.text).trimEnd().split('\n');
      const kept = lines.length > RESULT_LINES ? lines.slice(0, RESULT_LINES) : lines;
      const more = lines.length - kept.length;
      return [
        ...kept.filter((line) => line !== '' || lines.length > 1).map((line) => `  ${line}`),
        ...(more > 0 ? [`  … ${counted(more, 'more line')}`] : []),
      ].map((line) => paint(entry.ok ? 90 : 31, cut(line, DETAIL_WIDTH)));
    }
    case 'note':
      return [paint(33, `! ${printable(entry.text)}`)];
    case 'end': {
      const facts = [
        counted(entry.turns, 'turn'),
        ...(entry.costUsd ? [dollars(entry.costUsd)] : []),
      ];
      const text = printable(entry.text);
      return [paint(entry.ok ? 32 : 31, `= ${[text, ...facts].filter(Boolean).join(' · ')}`)];
    }
    case 'printed':
      return [printable(entry.text)];
  }
}
