import { z } from 'zod';
import { ExitCode, WiggumError } from '../../workflows/domain/errors.ts';
import { differingSettings } from '../../workflows/domain/sweep.ts';
import { askSweep } from '../ask.ts';
import type { BoardView } from '../board-view.ts';
import { defineCommand, type CommandContext } from '../command.ts';
import { detach } from '../detach.ts';
import { follow, type Followed } from '../follow.ts';
import { findHost, withHost, type Hosting } from '../hosting.ts';
import { countFlag } from '../parse-line.ts';
import { preflight, type Prepared } from '../preflight.ts';
import { openScreen, type Screen } from '../screen.ts';
import { withExplicitFlags, type SweepFlags } from '../sweep-settings.ts';
import { watchBoard, type Look } from '../watch-board.ts';

/** Works off the board: hosts in this process, or watches the process that does. */
export const run = defineCommand({
  name: 'run',
  summary: 'Work off the board until nothing is left to do',
  arguments: '',
  flags: [
    ['--max-workers <n>', 'tasks at work at the same time (WIGGUM_MAX_WORKERS, else 4)'],
    ['--auto-merge', 'merge each pull request without asking'],
    ['--pipeline <name>', 'pipeline for all tasks: a file in .ralph/pipelines, default or fast'],
    ['--backend <name>', 'who does the work: claude (default) or script'],
    ['--script <file>', 'scenario of the script backend'],
    ['--detach', 'go on in the background'],
    ['--json', 'print one JSON object per change, and a summary at the end'],
  ],
  details: [
    'Ctrl-C stops the agents; the next run goes on where they were. A second run on the same board',
    'watches the first. Exits 0 when everything is done or waits for you, 10 when tasks failed.',
  ].join('\n'),
  options: z.object({
    maxWorkers: countFlag.optional(),
    autoMerge: z.boolean().optional(),
    pipeline: z.string().min(1).optional(),
    backend: z.string().min(1).optional(),
    script: z.string().min(1).optional(),
    detach: z.boolean().default(false),
    json: z.boolean().default(false),
  }),

  async run({ detach: inBackground, json, ...flags }, context) {
    const prepared = await preflight(context, flags);
    const holder = inBackground ? await findHost(prepared.project.ralphDir) : undefined;
    if (inBackground && !holder) return runDetached(flags, { json, prepared, context });
    if (holder)
      context.log.info(`process ${holder.pid} hosts this project already; watching it instead`);
    const screen = openScreen(context, { json });
    return sweep({ prepared, flags, screen, context });
  },
});

interface Sweep {
  prepared: Prepared;
  flags: SweepFlags;
  screen: Screen;
  context: CommandContext;
}

async function sweep(order: Sweep): Promise<number> {
  const { prepared, screen, context } = order;
  const { project, settings } = prepared;
  for (;;) {
    const { followed, attachedTo } = await withHost(
      {
        project,
        environment: context.environment,
        purpose: 'run',
        maxAgents: settings.maxWorkers,
        log: screen.log,
        signal: context.signal,
      },
      async (hosting) => ({
        followed: await sweepThrough(order, hosting),
        attachedTo: hosting.attachedTo,
      }),
    );
    switch (followed.kind) {
      case 'ended':
        screen.end(followed.view);
        return exitCodeOf(followed.view);
      case 'interrupted':
        return ExitCode.interrupted;
      case 'host-gone':
        // Who hosted for one task only has done its part: the sweep goes on here.
        if (attachedTo?.purpose !== 'run') continue;
        screen.log.info(
          `the run of process ${attachedTo.pid} has ended; tasks stay open, \`wiggum run\` goes on`,
        );
        return ExitCode.error;
    }
  }
}

async function sweepThrough(
  { prepared: { project, settings }, flags, screen, context }: Sweep,
  { client, attachedTo, connection }: Hosting,
): Promise<Followed> {
  const look = watchBoard(client, project.id);
  if (attachedTo) {
    const seen = await look();
    if (isSweeping(seen)) {
      const differing = differingSettings(
        seen.settings,
        withExplicitFlags(seen.settings, flags, settings),
      );
      if (differing.length > 0)
        throw new WiggumError(
          'SWEEP_OTHER_FLAGS',
          `The run of process ${attachedTo.pid} goes on with other flags: ${differing.join('; ')}.`,
        );
    }
    screen.log.info(`attached to the run of process ${attachedTo.pid}`);
    if (!isSweeping(seen)) await askSweep(client, project, settings);
  } else {
    const { joined } = await askSweep(client, project, settings);
    if (joined) await warnOfKeptSettings({ look, flags, settings, screen });
    if (connection.uiUrl) screen.log.info(`Temporal pages: ${connection.uiUrl}`);
  }
  context.announceReady();
  return follow({
    look,
    screen,
    signal: context.signal,
    isOver: (view) => !view.sweeping,
    isHosted: async () => !attachedTo || (await findHost(project.ralphDir)) !== undefined,
  });
}

/** A sweep that was interrupted keeps what it was started with; a person who asks otherwise must know. */
async function warnOfKeptSettings(input: {
  look: () => Promise<Look>;
  flags: SweepFlags;
  settings: Prepared['settings'];
  screen: Screen;
}): Promise<void> {
  const seen = await input.look();
  if (seen.kind !== 'view') return;
  const wanted = withExplicitFlags(seen.settings, input.flags, input.settings);
  const differing = differingSettings(seen.settings, wanted);
  if (differing.length > 0)
    input.screen.log.warn(`the unfinished run goes on with ${differing.join('; ')}`);
}

async function runDetached(
  flags: SweepFlags,
  { json, prepared, context }: { json: boolean; prepared: Prepared; context: CommandContext },
): Promise<number> {
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

function wordsOf({ maxWorkers, autoMerge, pipeline, backend, script }: SweepFlags): string[] {
  return [
    ...(maxWorkers === undefined ? [] : ['--max-workers', String(maxWorkers)]),
    ...(autoMerge ? ['--auto-merge'] : []),
    ...(pipeline === undefined ? [] : ['--pipeline', pipeline]),
    ...(backend === undefined ? [] : ['--backend', backend]),
    ...(script === undefined ? [] : ['--script', script]),
  ];
}

function isSweeping(seen: Look): seen is Extract<Look, { kind: 'view' }> {
  return seen.kind === 'view' && seen.view.sweeping;
}

function exitCodeOf(view: BoardView): number {
  return view.tasks.some((task) => task.state === 'failed') ? ExitCode.agentFail : ExitCode.ok;
}
