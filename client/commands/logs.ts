import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { boardFile, readBoardFile } from '../../config/open-board.ts';
import type { Marker } from '../../workflows/domain/board.ts';
import { ExitCode, WiggumError } from '../../workflows/domain/errors.ts';
import { defineCommand, type CommandContext } from '../command.ts';
import { initialisedProject } from '../initialised-project.ts';
import { findKnownTask } from '../known-task.ts';
import { readLogLine } from '../log-entry.ts';
import { LogReader, type LogLine } from '../log-reader.ts';
import { entryLines } from '../render/log-entry.ts';
import { printable } from '../render/text.ts';
import { newestRuns } from '../task-runs.ts';

const LOOK_EVERY_MS = 300;

/** Reads the streams that the agents of a task's newest run left; needs no server. */
export const logs = defineCommand({
  name: 'logs',
  arguments: '<id>',
  flags: [
    ['-f, --follow', 'go on with what comes, until the task stops working'],
    ['--raw', 'print the lines as the agent wrote them'],
    ['--json', 'print one JSON object per event'],
  ],
  details: 'Shows the newest run of the task, oldest line first. A part of an id is enough.',
  options: z.object({
    id: z.string().min(1),
    follow: z.boolean().default(false),
    raw: z.boolean().default(false),
    json: z.boolean().default(false),
  }),
  exitCodes: { NOT_INITIALISED: ExitCode.configuration, BOARD_MISSING: ExitCode.configuration },

  async run({ id: wanted, follow, raw, json }, context) {
    const { ralphDir } = await initialisedProject(context.cwd);
    const { id, run } = await findKnownTask(ralphDir, wanted);
    const print = printer({ raw, json }, context);
    if (follow) return followRun({ ralphDir, id, print }, context);
    if (!run)
      throw new WiggumError('TASK_NOT_RUNNING', `${id} has not run yet: there are no logs of it.`);
    let lines = 0;
    for await (const line of new LogReader(join(run.folder, 'logs')).read({ flush: true })) {
      print(line);
      lines += 1;
    }
    if (lines === 0) context.log.info(`no agent of ${id} has said anything yet`);
    return ExitCode.ok;
  },
});

type Print = (line: LogLine) => void;

async function followRun(
  { ralphDir, id, print }: { ralphDir: string; id: string; print: Print },
  { signal, log }: CommandContext,
): Promise<number> {
  let folder: string | undefined;
  let reader: LogReader | undefined;
  while (!signal.aborted) {
    // The marker is read before the lines: what came before its change is printed before the end.
    const marker = await markerOf(ralphDir, id);
    const run = (await newestRuns(ralphDir)).get(id);
    if (run && run.folder !== folder) {
      folder = run.folder;
      reader = new LogReader(join(folder, 'logs'));
    } else if (!run && marker === ' ' && folder === undefined) {
      log.info(`${id} has not started; waiting for it`);
      folder = '';
    }
    const hasEnded = marker !== '=' && marker !== ' ';
    for await (const line of reader?.read({ flush: hasEnded }) ?? []) print(line);
    if (hasEnded) {
      log.info(`${id} stands at ${marker === undefined ? 'no place on the board' : `[${marker}]`}`);
      return ExitCode.ok;
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return ExitCode.interrupted;
}

async function markerOf(ralphDir: string, id: string): Promise<Marker | undefined> {
  const { board } = await readBoardFile(boardFile(ralphDir));
  return board.tasks.find((task) => task.id === id)?.marker;
}

function printer(
  { raw, json }: { raw: boolean; json: boolean },
  { stdout }: CommandContext,
): Print {
  let file = '';
  return (line) => {
    if (raw) {
      // A terminal must not be steered by what an agent printed; a pipe gets it as it is.
      stdout.write(`${stdout.isTerminal ? printable(line.line) : line.line}\n`);
      return;
    }
    const entries = readLogLine(line.line);
    if (json) {
      for (const entry of entries)
        stdout.write(`${JSON.stringify({ file: line.file, ...entry })}\n`);
      return;
    }
    const begins = line.file !== file && entries[0] !== undefined;
    if (begins && entries[0]?.kind !== 'start') stdout.write(`\n── ${printable(line.file)}\n`);
    if (begins) file = line.file;
    for (const entry of entries)
      stdout.write(`${entryLines(entry, { colour: stdout.hasColour }).join('\n')}\n`);
  };
}
