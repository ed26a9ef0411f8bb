import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';
import { boardFile, readBoardFile } from '../../config/open-board.ts';
import { findPullRequest, readPullRequestTexts } from '../../config/pull-request-file.ts';
import { ExitCode } from '../../workflows/domain/errors.ts';
import { defineCommand, type CommandContext } from '../command.ts';
import { killInTheMiddle } from '../demo-crash.ts';
import { judgeCrash, readLedger, type LedgerEntry, type Verdict } from '../demo-ledger.ts';
import { fillDemoBoard, makeDemoProject, type DemoProject } from '../demo-project.ts';
import { askGit } from '../git.ts';
import { withRunningServer } from '../hosting.ts';
import { duration } from '../render/amounts.ts';

/** Shows the whole way from a board to merged changes, on a scratch repository, without a model. */
export const demo = defineCommand({
  name: 'demo',
  arguments: '',
  flags: [
    ['--crash', 'kill the host with SIGKILL in the middle, and go on'],
    ['--json', 'print the outcome as JSON'],
  ],
  details:
    'Works in a new folder below the temporary folder and leaves it there. The agents\nare scripted, everything else is real: Temporal, git, processes, tests.',
  options: z.object({ crash: z.boolean().default(false), json: z.boolean().default(false) }),

  async run({ crash, json }, context) {
    const begun = performance.now();
    const project = await makeDemoProject();
    const say = json ? context.log.info : (line: string) => context.stdout.write(`${line}\n`);
    say(`A scratch repository: ${project.projectDir}\n\n$ wiggum init`);
    await finished(wiggum(project, ['init'], { context, stdout: 'ignore' }));
    await fillDemoBoard(project);
    say(`$ wiggum run ${FLAGS.join(' ')}     (six tasks, scripted agents)\n`);

    const stdout = json ? 2 : 'inherit';
    let host = wiggum(project, ['run', ...FLAGS], { context, stdout });
    let victim: LedgerEntry | undefined;
    if (crash) {
      victim = await killInTheMiddle(project, host, { signal: context.signal, say });
      if (victim) host = wiggum(project, ['run', ...FLAGS], { context, stdout });
    }
    await finished(host);
    if (context.signal.aborted) return ExitCode.interrupted;

    const outcome = await lookAt(project, victim);
    const took = duration(performance.now() - begun);
    if (json) context.stdout.write(`${JSON.stringify({ ...project, ...outcome })}\n`);
    else say(await closingText(project, outcome, { took, context }));
    return outcome.verdicts.every(({ ok }) => ok) ? ExitCode.ok : ExitCode.error;
  },
});

const FLAGS = ['--auto-merge', '--max-workers', '3'];
const SHOWN_PULL_REQUEST = 'NOTE-3';

interface Outcome {
  board: { id: string; marker: string; title: string }[];
  verdicts: Verdict[];
}

function wiggum(
  { projectDir }: DemoProject,
  words: string[],
  { context, stdout }: { context: CommandContext; stdout: 'ignore' | 'inherit' | 2 },
): ChildProcess {
  const [interpreter, script] = context.program;
  return spawn(interpreter, [script, ...words], {
    cwd: projectDir,
    env: { ...context.environment },
    stdio: ['ignore', stdout, 'inherit'],
  });
}

async function finished(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Five tasks are merged, each once; the sixth failed; after a crash the ledger has its say too. */
async function lookAt(project: DemoProject, victim: LedgerEntry | undefined): Promise<Outcome> {
  const { board: now } = await readBoardFile(boardFile(project.ralphDir));
  const board = now.tasks.map(({ id, marker, title }) => ({ id, marker, title }));
  const subjects = (await askGit(project.projectDir, ['log', '--format=%s', 'main'])).split('\n');
  const merges = board.map(
    ({ id }) => subjects.filter((line) => line.startsWith(`${id}: `)).length,
  );
  const asPlanned = board.every(({ marker }, at) =>
    marker === 'x' ? merges[at] === 1 : marker === '*' && merges[at] === 0,
  );
  const done = board.filter(({ marker }) => marker === 'x').length;
  const verdicts: Verdict[] = [
    {
      ok: asPlanned && done === board.length - 1,
      text: `${done} of ${board.length} tasks merged, each of them once; the others failed with a reason`,
    },
  ];
  if (victim) verdicts.push(...judgeCrash(await readLedger(project.ledger), victim));
  return { board, verdicts };
}

async function closingText(
  { projectDir, ralphDir }: DemoProject,
  { board, verdicts }: Outcome,
  { took, context }: { took: string; context: CommandContext },
): Promise<string> {
  const log = await askGit(projectDir, ['log', '--oneline', '--no-decorate', 'main']);
  const { number } = await findPullRequest(ralphDir, SHOWN_PULL_REQUEST);
  const { description } = await readPullRequestTexts(ralphDir, number);
  const shown = description.slice(description.indexOf('## Checklist')).trimEnd().split('\n');
  const pages = await withRunningServer(context.environment, (_client, { uiUrl }) =>
    Promise.resolve(uiUrl ?? 'none'),
  );
  return [
    '',
    '$ git log --oneline main',
    log.trimEnd(),
    '',
    '$ cat .ralph/kanban.md     (the task lines)',
    ...board.map(({ id, marker, title }) => `- [${marker}] **[${id}]** ${title}`),
    '',
    `$ wiggum pr view ${SHOWN_PULL_REQUEST}     (the second half)`,
    ...shown,
    '',
    ...verdicts.map(({ ok, text }) => `${ok ? '✓' : '✗'} ${text}`),
    '',
    `Done in ${took}. Every step of it is in the Temporal pages: ${typeof pages === 'string' ? pages : pages.noServer}`,
    `Look around in ${projectDir}: \`wiggum status\`, \`wiggum logs NOTE-3\`, \`git log\`.`,
    '',
    'Your own repository:',
    '  cd your-repository && wiggum init     then fill in .ralph/kanban.md',
    '  wiggum run                            with Claude Code; pull requests wait for `wiggum pr merge`',
    '(`wiggum` is `node <this folder>/dist/client/main.js`; `npm link` puts it on your PATH.)',
    'The Temporal server stays in the background; `wiggum server stop` ends it.',
  ].join('\n');
}
