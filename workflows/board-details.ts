import type { Card, Marker } from './domain/board.ts';

/** What the Temporal UI shows under "Current Details" of a board. */
export function boardText(
  cards: readonly Card[],
  now: { sweeping: boolean; trouble: string | undefined },
): string {
  const count = (marker: Marker) => cards.filter((card) => card.marker === marker).length;
  return [
    `### ${now.sweeping ? 'Sweeping' : 'Idle'}${now.trouble ? ` · ${now.trouble}` : ''}`,
    '',
    '| pending | in progress | pull request | done | failed |',
    '|---|---|---|---|---|',
    `| ${count(' ')} | ${count('=')} | ${count('P')} | ${count('x')} | ${count('*')} |`,
  ].join('\n');
}

/** A label of the timeline: which tasks get which marker. */
export function markersText(moves: readonly { id: string; marker: Marker }[]): string {
  return moves
    .map(({ id, marker }) => `${id} → [${marker}]`)
    .join(', ')
    .slice(0, 180);
}
