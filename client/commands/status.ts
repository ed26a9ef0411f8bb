import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { openProject } from '../../config/project.ts';
import { ExitCode } from '../../workflows/domain/errors.ts';
import { reportBoard, type BoardReport } from '../board-report.ts';
import { defineCommand, type Output } from '../command.ts';
import { boardLines, problemLines, summaryLine, totalLines } from '../render/board.ts';
import { headLines } from '../render/report.ts';
import { widthOfLines } from '../render/width.ts';
import { openScreen } from '../screen.ts';

const EVERY_MS = 1_000;

/** Asks the running workflow where there is one: between two writes of the board only it knows. */
export const status = defineCommand({
  name: 'status',
  arguments: '',
  flags: [
    ['-w, --watch', 'keep looking and redraw; Ctrl-C ends it'],
    ['--json', 'print the board as one JSON object; with --watch one object per change'],
  ],
  details: [
    'Starts nothing. While `wiggum run` works, the workflow of the board answers;',
    'otherwise the files do: the board, the pull requests, and the reasons that',
    'failed tasks left behind.',
  ].join('\n'),
  options: z.object({ watch: z.boolean().default(false), json: z.boolean().default(false) }),
  exitCodes: { NOT_INITIALISED: ExitCode.configuration, BOARD_MISSING: ExitCode.configuration },

  async run({ watch, json }, context) {
    const { cwd, environment, stdout, log, signal } = context;
    const { project, notices } = await openProject(cwd, environment);
    for (const notice of notices) log.warn(notice);
    const screen = watch ? openScreen(context, { json }) : undefined;
    const take = async (report: BoardReport): Promise<boolean> => {
      if (!screen) {
        print(report, stdout, json);
        return false;
      }
      screen.show(report.view, headLines(report, Date.now()));
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
      return !signal.aborted;
    };
    await reportBoard({ project, environment, take });
    return ExitCode.ok;
  },
});

function print(report: BoardReport, stdout: Output, json: boolean): void {
  const { view, ...around } = report;
  if (json) {
    stdout.write(`${JSON.stringify({ ...around, summary: summaryLine(view), ...view })}\n`);
    return;
  }
  const drawing = { now: Date.now(), columns: widthOfLines(stdout), colour: stdout.hasColour };
  const lines = [
    ...headLines(report, drawing.now),
    '',
    ...boardLines(view, drawing),
    ...problemLines(view),
    '',
    summaryLine(view),
    ...totalLines(view),
  ];
  stdout.write(`${lines.join('\n')}\n`);
}
