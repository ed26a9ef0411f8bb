import type { BoardReport } from '../board-report.ts';
import { duration } from './amounts.ts';
import { printable } from './text.ts';

/** What stands above the table: who works on the board, and where its server is. */
export function headLines(report: BoardReport, now: number): string[] {
  return [
    `${printable(report.project)}: ${hostText(report, now)}`,
    ...(report.server ? [serverText(report.server)] : []),
    ...report.notices.map((notice) => `note: ${printable(notice)}`),
  ];
}

function hostText({ host, view }: BoardReport, now: number): string {
  if (!host)
    return view.tasks.some((task) => task.state === 'paused')
      ? 'nobody works on the board; `wiggum run` goes on'
      : 'nobody works on the board; `wiggum run` starts';
  const since = duration(now - Date.parse(host.since));
  const doing = view.sweeping
    ? 'the board is being worked off'
    : host.purpose === 'run'
      ? 'the run is at its end'
      : `\`wiggum ${printable(host.purpose)}\` is at work`;
  return `${doing} (process ${host.pid}, for ${since})`;
}

function serverText({ address, uiUrl }: NonNullable<BoardReport['server']>): string {
  return `Temporal at ${printable(address)}${uiUrl ? `, pages ${printable(uiUrl)}` : ''}`;
}
