import { z } from 'zod';
import { boardFile, readBoardFile } from '../../config/open-board.ts';
import { openProject } from '../../config/project.ts';
import { ExitCode, WiggumError } from '../../workflows/domain/errors.ts';
import { defineCommand, type CommandContext } from '../command.ts';
import { carryOut, type Carried } from '../order-task.ts';
import { preflight } from '../preflight.ts';
import { planStart } from '../start-task.ts';
import { stopTask } from '../stop-task.ts';
import type { SweepFlags } from '../sweep-settings.ts';
import { resolveTaskId } from '../task-id.ts';

/** Orders about one task; every other task stays as it is. */
export const worker = defineCommand({
  name: 'worker',
  arguments: '<action> [id]',
  flags: [
    ['--from <step>', 'begin at this step of the pipeline (start, restart)'],
    ['--auto-merge', 'merge its pull request without asking'],
    ['--pipeline <name>', 'pipeline of this task'],
    ['--backend <name>', 'who does the work: claude (default) or script'],
    ['--script <file>', 'scenario of the script backend'],
    ['--json', 'print the result as JSON'],
  ],
  details: [
    'Actions:',
    '  start ID     runs one task now, whatever the schedule says, in a new workspace',
    '  stop ID      ends its agent; the workspace stays, the board gets [*]',
    '  restart ID   begins its pipeline again in the workspace that it has',
    'A part of an id is enough when it fits one task only. start and restart show the',
    'task until it is done or waits for you; Ctrl-C pauses it. Exits 0 when the order',
    'is carried out, 10 when the task failed, 1 when there was nothing to do.',
  ].join('\n'),
  options: z.object({
    action: z.enum(['start', 'stop', 'restart']),
    id: z.string().min(1).optional(),
    from: z.string().min(1).optional(),
    autoMerge: z.boolean().optional(),
    pipeline: z.string().min(1).optional(),
    backend: z.string().min(1).optional(),
    script: z.string().min(1).optional(),
    json: z.boolean().default(false),
  }),
  exitCodes: {
    NOT_INITIALISED: ExitCode.configuration,
    BOARD_MISSING: ExitCode.configuration,
    BOARD_INVALID: ExitCode.configuration,
  },

  async run({ action, id, json, from, ...flags }, context) {
    if (id === undefined)
      throw new WiggumError('USAGE', `worker ${action} needs the id of a task, as in AB-12.`);
    switch (action) {
      case 'start':
      case 'restart':
        return start({ action, wanted: id, from, flags, json }, context);
      case 'stop': {
        if (from !== undefined)
          throw new WiggumError('USAGE', '--from belongs to start and restart.');
        return stop(id, context, json);
      }
    }
  },
});

interface Start {
  action: 'start' | 'restart';
  wanted: string;
  from: string | undefined;
  flags: SweepFlags;
  json: boolean;
}

async function start(
  { action, wanted, from, flags, json }: Start,
  context: CommandContext,
): Promise<number> {
  const prepared = await preflight(context, flags);
  const ids = prepared.board.tasks.map((task) => task.id);
  const id = resolveTaskId(wanted, ids);
  const order = await planStart({ action, id, from, prepared }, context);
  return exitCodeOf(await carryOut(order, context, { json }), id, context);
}

function exitCodeOf(carried: Carried, id: string, { log }: CommandContext): number {
  switch (carried.kind) {
    case 'ended':
      if (carried.task.state !== 'failed') return ExitCode.ok;
      return carried.task.outOfIterations ? ExitCode.maxIterations : ExitCode.agentFail;
    case 'vanished':
      log.error(`${id} is no longer on the board`);
      return ExitCode.error;
    case 'host-gone':
      log.error(
        `process ${carried.pid}, which worked on ${id}, has ended; the task stays open, \`wiggum run\` goes on`,
      );
      return ExitCode.error;
    case 'interrupted':
      return ExitCode.interrupted;
  }
}

async function stop(wanted: string, context: CommandContext, json: boolean): Promise<number> {
  const { cwd, environment, stdout } = context;
  const { project } = await openProject(cwd, environment);
  const { board } = await readBoardFile(boardFile(project.ralphDir));
  const id = resolveTaskId(
    wanted,
    board.tasks.map((task) => task.id),
  );
  const stopped = await stopTask({ project, id }, context);
  const text = stopped.isStopped
    ? `${id} has ended: ${stopped.reason}. Its workspace stays; \`wiggum worker restart ${id}\` begins again in it.`
    : `${id} could not be stopped: ${stopped.reason}.`;
  stdout.write(json ? `${JSON.stringify({ task: id, ...stopped })}\n` : `${text}\n`);
  return stopped.isStopped ? ExitCode.ok : ExitCode.error;
}
