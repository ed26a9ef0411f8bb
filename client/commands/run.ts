import { z } from 'zod';
import { ExitCode, WiggumError } from '../../workflows/domain/errors.ts';
import type { SweepSettings } from '../../workflows/domain/sweep.ts';
import { askSweep } from '../ask.ts';
import type { BoardView } from '../board-view.ts';
import { defineCommand, type CommandContext } from '../command.ts';
import { detach } from '../detach.ts';
import { withReasons } from '../failure-reasons.ts';
import { readFileView } from '../file-view.ts';
import { follow, type Followed } from '../follow.ts';
import { findHost, withClient, withHost, type HostHolder, type Hosting } from '../hosting.ts';
import { countFlag } from '../parse-line.ts';
import { mustHaveBackend, preflight, type Prepared } from '../preflight.ts';
import { wayOnLines } from '../render/board.ts';
import { openScreen, type Screen } from '../screen.ts';
import { differingFlags, withExplicitFlags, type SweepFlags } from '../sweep-settings.ts';
import { watchBoard, type Look } from '../watch-board.ts';

/** Works off the board: hosts in this process, or watches the process that does. */
export const run = defineCommand({
  name: 'run',
  arguments: '',
  flags: [
    ['--max-workers <n>', 'tasks at work at the same time (WIGGUM_MAX_WORKERS, else 4)'],
    ['--auto-merge', 'merge each pull request without asking'],
    ['--pipeline <name>', 'pipeline for all tasks: one of .ralph/pipelines, or a shipped one'],
    ['--backend <name>', 'who does the work: claude (default) or script'],
    ['--script <file>', 'scenario of the script backend'],
    ['--plan', 'have a plan made before the work (WIGGUM_PLAN_MODE)'],
    ['--detach', 'go on in the background'],
    ['--json', 'print one JSON object per change, and a summary at the end'],
  ],
  details: [
    'Ctrl-C stops the agents; the next run goes on where they were. A second run on',
    'the same board watches the first. Exits 0 when everything is done or waits for',
    'you, 10 when tasks failed.',
  ].join('\n'),
  options: z.object({
    maxWorkers: countFlag.optional(),
    autoMerge: z.boolean().optional(),
    pipeline: z.string().min(1).optional(),
    backend: z.string().min(1).optional(),
    script: z.string().min(1).optional(),
    plan: z.boolean().optional(),
    detach: z.boolean().default(false),
    json: z.boolean().default(false),
  }),

  async run({ detach: inBackground, json, ...flags }, context) {
    const prepared = await preflight(context, flags);
    if (!inBackground) return sweep({ prepared, flags, json, context });
    const holder = await findHost(prepared.project.ralphDir);
    // Who hosts for one task only ends with it: a run in the background waits behind it.
    return holder?.purpose === 'run'
      ? stayBehind(holder, { prepared, flags, json, context })
      : runDetached({ prepared, flags, json, context });
  },
});

interface Sweep {
  prepared: Prepared;
  flags: SweepFlags;
  json: boolean;
  context: CommandContext;
}

async function sweep(order: Sweep): Promise<number> {
  const { prepared, json, context } = order;
  const { project } = prepared;
  const screen = openScreen(context, { json });
  for (;;) {
    const { followed, attachedTo, isOurs } = await withHost(
      {
        project,
        environment: context.environment,
        purpose: 'run',
        log: screen.log,
        signal: context.signal,
      },
      (hosting) => sweepThrough(order, hosting, screen),
    );
    switch (followed.kind) {
      case 'ended':
        screen.end(followed.view);
        for (const line of wayOnLines(followed.view)) screen.log.info(line);
        return exitCodeOf(followed.view);
      case 'interrupted':
        screen.log.info('paused: tasks stay open, `wiggum run` goes on with them');
        return ExitCode.interrupted;
      case 'host-gone': {
        // The sweep that was asked for here is not over because another process has ended; and
        // where that one lives, only the server has moved.
        if (isOurs || attachedTo?.purpose !== 'run' || (await findHost(project.ralphDir))) continue;
        const view = await readFileView(project.ralphDir);
        screen.end(view);
        if (!view.tasks.some((task) => task.state === 'paused')) return exitCodeOf(view);
        screen.log.warn(
          `the run of process ${attachedTo.pid} has ended; tasks stay open, \`wiggum run\` goes on`,
        );
        return ExitCode.error;
      }
    }
  }
}

interface Swept {
  followed: Followed;
  attachedTo: HostHolder | undefined;
  /** This command asked for the sweep; otherwise it only watches. */
  isOurs: boolean;
}

async function sweepThrough(
  { prepared: { project, settings }, flags, context }: Sweep,
  { client, attachedTo, connection, isServed }: Hosting,
  screen: Screen,
): Promise<Swept> {
  const look = withReasons(watchBoard(client, project.id), project.ralphDir);
  const seen = await look();
  const running = isSweeping(seen) ? seen.settings : undefined;
  const wanted = running ? withExplicitFlags(running, flags, settings) : settings;
  if (attachedTo) {
    if (running) refuseOthers(attachedTo, running, wanted);
    screen.log.info(`attached to process ${attachedTo.pid}, which works on this board already`);
  } else {
    if (running) screen.log.info('goes on with the run that was interrupted');
    if (connection.uiUrl) screen.log.info(`Temporal pages: ${connection.uiUrl}`);
  }
  const isOurs = !attachedTo || !running;
  // What an interrupted run was started with stays, unless a flag says otherwise.
  if (isOurs) {
    await mustHaveBackend(wanted, context);
    await askSweep(client, project, wanted);
  }
  context.announceReady();
  const followed = await follow({
    look,
    screen,
    signal: context.signal,
    isOver: (view) => !view.sweeping,
    isHosted: isServed,
  });
  return { followed, attachedTo, isOurs };
}

function refuseOthers(holder: HostHolder, running: SweepSettings, wanted: SweepSettings): void {
  const differing = differingFlags(running, wanted);
  if (differing.length === 0) return;
  throw new WiggumError(
    'SWEEP_OTHER_FLAGS',
    `The run of process ${holder.pid} goes on with other flags: ${differing.join('; ')}.`,
  );
}

/** `--detach` beside a living run: there is nothing to start, and nobody to wait for. */
async function stayBehind(
  holder: HostHolder,
  { prepared: { project, settings }, flags, json, context }: Sweep,
): Promise<number> {
  await withClient(context, async (client) => {
    const seen = await watchBoard(client, project.id)();
    if (isSweeping(seen))
      refuseOthers(holder, seen.settings, withExplicitFlags(seen.settings, flags, settings));
    else await askSweep(client, project, settings);
  });
  context.stdout.write(
    json
      ? `${JSON.stringify({ pid: holder.pid, attached: true })}\n`
      : `Process ${holder.pid} works on this board already.\n  follow: wiggum status --watch\n`,
  );
  return ExitCode.ok;
}

async function runDetached({ prepared, flags, json, context }: Sweep): Promise<number> {
  const { code, pid, logFile } = await detach(
    ['run', ...wordsOf(flags)],
    prepared.project.ralphDir,
    context,
  );
  if (pid === undefined) return code;
  context.stdout.write(
    json
      ? `${JSON.stringify({ pid, logFile })}\n`
      : `Running in the background as process ${pid}.\n  follow: wiggum status --watch\n  stop:   wiggum stop\n  log:    ${logFile}\n`,
  );
  return code;
}

function wordsOf({ maxWorkers, autoMerge, pipeline, backend, script, plan }: SweepFlags): string[] {
  return [
    ...(maxWorkers === undefined ? [] : ['--max-workers', String(maxWorkers)]),
    ...(autoMerge ? ['--auto-merge'] : []),
    ...(pipeline === undefined ? [] : ['--pipeline', pipeline]),
    ...(backend === undefined ? [] : ['--backend', backend]),
    ...(script === undefined ? [] : ['--script', script]),
    ...(plan ? ['--plan'] : []),
  ];
}

function isSweeping(seen: Look): seen is Extract<Look, { kind: 'view' }> {
  return seen.kind === 'view' && seen.view.sweeping;
}

function exitCodeOf(view: BoardView): number {
  return view.tasks.some((task) => task.state === 'failed') ? ExitCode.agentFail : ExitCode.ok;
}
