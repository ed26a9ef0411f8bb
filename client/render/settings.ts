import type { ExplainedSetting } from '../../config/explain-setting.ts';
import { BUILT_IN, type Level } from '../../config/setting.ts';
import { aligned } from './aligned.ts';
import { placeText, type Around } from './place.ts';
import { cut, printable } from './text.ts';

const WIDEST_VALUE = 40;
const UNSET = 'not set';

/** One line per setting: key, value, where it comes from. */
export function settingLines(settings: readonly ExplainedSetting[], around: Around): string[] {
  const rows = settings.map(({ key, levels: [first], isRead }) => [
    printable(key),
    cut(valueText(first), WIDEST_VALUE),
    first ? sourceText(first, around, key) + (isRead ? '' : ' (not read)') : '',
  ]);
  return aligned(rows);
}

/** Each setting with the level that holds and those that it overrules, the strongest first. */
export function explainLines(settings: readonly ExplainedSetting[], around: Around): string[] {
  return settings.flatMap((setting, index) => {
    const { key, levels, isRead } = setting;
    const rows = levels.map((level, place) => [
      place === 0 ? 'in force' : 'overruled',
      valueText(level),
      sourceText(level, around, key),
    ]);
    return [
      ...(index === 0 ? [] : ['']),
      `${printable(key)} = ${valueText(levels[0])}`,
      ...(isRead ? [] : ['  no part of this program reads this key']),
      ...aligned(rows, '  '),
    ];
  });
}

function valueText(level: Level | undefined): string {
  if (level === undefined) return UNSET;
  return printable(typeof level.value === 'string' ? level.value : JSON.stringify(level.value));
}

function sourceText({ source, key }: Level, around: Around, asked: string): string {
  const place = placeText(source, around);
  return source === BUILT_IN || asked.endsWith(key) ? place : `${place}: ${printable(key)}`;
}
