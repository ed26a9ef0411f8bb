import { z } from 'zod';
import { boardFile, readBoardFile } from '../../config/open-board.ts';
import { openProject } from '../../config/project.ts';
import { ExitCode, WiggumError } from '../../workflows/domain/errors.ts';
import { defineCommand, type CommandContext } from '../command.ts';
import { carryOut, type Carried } from '../order-task.ts';
import { preflight } from '../preflight.ts';
import { planStart } from '../start-task.ts';
import { steerTask } from '../steer-task.ts';
import { stopTask } from '../stop-task.ts';
import type { SweepFlags } from '../sweep-settings.ts';
import { resolveTaskId } from '../task-id.ts';

/** Orders about one task; every other task stays as it is. */
export const worker = defineCommand({
  name: 'worker',
  arguments: '<action> [id] [text]',
  flags: [
    ['--from <step>', 'begin at this step of the pipeline (start, restart)'],
    ['--auto-merge', 'merge its pull request without asking'],
    ['--pipeline <name>', 'pipeline of this task'],
    ['--backend <name>', 'who does the work: claude (default) or script'],
    ['--script <file>', 'scenario of the script backend'],
    ['--plan', 'have a plan made before the work (start, restart)'],
    ['--json', 'print the result as JSON'],
  ],
  details: [
    'Actions:',
    '  start ID     runs one task now, whatever the schedule says, in a new workspace',
    '  stop ID      ends its agent; the workspace stays, the board gets [*]',
    '  restart ID   begins its pipeline again in the workspace that it has, with what',
    '               it was started with before where you say nothing else',
    '  steer ID TEXT  tells its agent something, word for word, when its next',
    '                 iteration begins, and waits until that was heard',
    'A part of an id is enough when it fits one task only. start and restart show the',
    'task until it is done or waits for you; Ctrl-C pauses it. Exits 0 when the order',
    'is carried out, 10 when the task failed, 1 when there was nothing to do.',
  ].join('\n'),
  options: z.object({
    action: z.enum(['start', 'stop', 'restart', 'steer']),
    id: z.string().min(1).optional(),
    text: z.string().optional(),
    from: z.string().min(1).optional(),
    autoMerge: z.boolean().optional(),
    pipeline: z.string().min(1).optional(),
    backend: z.string().min(1).optional(),
    script: z.string().min(1).optional(),
    plan: z.boolean().optional(),
    json: z.boolean().default(false),
  }),
  exitCodes: {
    NOT_INITIALISED: ExitCode.configuration,
    BOARD_MISSING: ExitCode.configuration,
    BOARD_INVALID: ExitCode.configuration,
  },

  async run({ action, id, text, json, from, ...flags }, context) {
    if (id === undefined)
      throw new WiggumError('USAGE', `worker ${action} needs the id of a task, as in AB-12.`);
    if (from !== undefined && (action === 'stop' || action === 'steer'))
      throw new WiggumError('USAGE', '--from belongs to start and restart.');
    if (text !== undefined && action !== 'steer')
      throw new WiggumError('USAGE', `worker ${action} takes one id and nothing behind it.`);
    switch (action) {
      case 'start':
      case 'restart':
        return start({ action, wanted: id, from, flags, json }, context);
      case 'stop':
        return stop(id, context, json);
      case 'steer':
        return steer(id, text, context, json);
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
  const order = await planStart({ action, id, from, flags, prepared }, context);
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

async function taskOnBoard(wanted: string, { cwd, environment }: CommandContext) {
  const { project } = await openProject(cwd, environment);
  const { board } = await readBoardFile(boardFile(project.ralphDir));
  const ids = board.tasks.map((task) => task.id);
  return { project, id: resolveTaskId(wanted, ids) };
}

async function steer(
  wanted: string,
  text: string | undefined,
  context: CommandContext,
  json: boolean,
): Promise<number> {
  if (!text?.trim())
    throw new WiggumError(
      'USAGE',
      'worker steer needs what to say, as in: worker steer AB-12 "Use the parser in lib/".',
    );
  const { project, id } = await taskOnBoard(wanted, context);
  const steered = await steerTask({ project, id, text }, context);
  if (steered === 'interrupted' || steered === 'host-gone') {
    context.log.info(`not heard yet; it stays with ${id} until its agent begins an iteration`);
    return steered === 'interrupted' ? ExitCode.interrupted : ExitCode.error;
  }
  const said = steered.delivered
    ? `${id} was told: ${steered.where}`
    : `nobody heard it: ${steered.where}`;
  context.stdout.write(json ? `${JSON.stringify({ task: id, ...steered })}\n` : `${said}\n`);
  return steered.delivered ? ExitCode.ok : ExitCode.error;
}

async function stop(wanted: string, context: CommandContext, json: boolean): Promise<number> {
  const { stdout } = context;
  const { project, id } = await taskOnBoard(wanted, context);
  const stopped = await stopTask({ project, id }, context);
  const text = stopped.isStopped
    ? `${id} has ended: ${stopped.reason}. Its workspace stays; \`wiggum worker restart ${id}\` begins again in it.`
    : `${id} could not be stopped: ${stopped.reason}.`;
  stdout.write(json ? `${JSON.stringify({ task: id, ...stopped })}\n` : `${text}\n`);
  return stopped.isStopped ? ExitCode.ok : ExitCode.error;
}
