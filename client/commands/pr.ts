import { z } from 'zod';
import { openProject } from '../../config/project.ts';
import {
  findPullRequest,
  readPullRequests,
  readPullRequestTexts,
} from '../../config/pull-request-file.ts';
import { ExitCode, WiggumError } from '../../workflows/domain/errors.ts';
import type { PullRequest } from '../../workflows/domain/pull-request.ts';
import { defineCommand, type CommandContext } from '../command.ts';
import { initialisedProject } from '../initialised-project.ts';
import { mergePullRequest } from '../merge-pull-request.ts';
import { pullRequestLines, pullRequestText } from '../render/pull-request.ts';
import { resolveTaskId } from '../task-id.ts';

/** Pull requests of the local forge: records beside the board, merged by the task's own workflow. */
export const pr = defineCommand({
  name: 'pr',
  arguments: '[action] [id]',
  flags: [
    ['--all', 'list also what is merged or closed'],
    ['--json', 'print the result as JSON'],
  ],
  details: [
    'Actions:',
    '  list           the open pull requests (default)',
    '  view ID        what one of them says and changes',
    '  merge ID       merge it into its target branch, and show it until that is done',
    'ID is a task id, a part of one, or the number of the pull request. Exits 42 when',
    'there is none, 43 when it could not be merged; the reason says how to go on.',
  ].join('\n'),
  options: z.object({
    action: z.enum(['list', 'view', 'merge']).default('list'),
    id: z.string().min(1).optional(),
    all: z.boolean().default(false),
    json: z.boolean().default(false),
  }),
  exitCodes: {
    NOT_INITIALISED: ExitCode.pullRequestNotInitialised,
    TASK_NOT_RUNNING: ExitCode.mergeFailed,
    REFUSED: ExitCode.mergeFailed,
  },

  async run({ action, id, all, json }, context) {
    const { ralphDir } = await initialisedProject(context.cwd);
    if (action === 'list') return list({ ralphDir, all, json }, context);
    if (id === undefined)
      throw new WiggumError(
        'USAGE',
        `pr ${action} needs a task id or the number of a pull request.`,
      );
    const pullRequest = await find(ralphDir, id);
    if (action === 'view') return view({ ralphDir, pullRequest, json }, context);
    const { project } = await openProject(context.cwd, context.environment);
    return mergePullRequest({ project, pullRequest, json }, context);
  },
});

async function list(
  { ralphDir, all, json }: { ralphDir: string; all: boolean; json: boolean },
  { stdout, log }: CommandContext,
): Promise<number> {
  const { pullRequests, problems } = await readPullRequests(ralphDir);
  const shown = all ? pullRequests : pullRequests.filter(({ state }) => state === 'open');
  if (json) {
    stdout.write(`${JSON.stringify({ pullRequests: shown, problems })}\n`);
    return ExitCode.ok;
  }
  for (const { number, message } of problems) log.warn(`pull request ${number}: ${message}`);
  const settled = pullRequests.length - shown.length;
  const lines =
    shown.length > 0
      ? pullRequestLines(shown)
      : [`No open pull requests${settled > 0 ? `; --all shows ${settled} more` : ''}.`];
  stdout.write(`${lines.join('\n')}\n`);
  return ExitCode.ok;
}

async function view(
  { ralphDir, pullRequest, json }: { ralphDir: string; pullRequest: PullRequest; json: boolean },
  { stdout }: CommandContext,
): Promise<number> {
  const texts = await readPullRequestTexts(ralphDir, pullRequest.number);
  stdout.write(
    json
      ? `${JSON.stringify({ ...pullRequest, ...texts })}\n`
      : pullRequestText(pullRequest, texts, { colour: stdout.hasColour }),
  );
  return ExitCode.ok;
}

/** Takes a number as one, and any other word as a task id or a part of one. */
async function find(ralphDir: string, wanted: string): Promise<PullRequest> {
  const number = /^#?([1-9]\d{0,8})$/.exec(wanted)?.[1];
  if (number !== undefined) return findPullRequest(ralphDir, Number(number));
  const { pullRequests, problems } = await readPullRequests(ralphDir);
  const ids = [...new Set(pullRequests.map(({ taskId }) => taskId))];
  try {
    return await findPullRequest(ralphDir, resolveTaskId(wanted, ids));
  } catch (cause) {
    if (!(cause instanceof WiggumError) || cause.code !== 'TASK_UNKNOWN') throw cause;
    const damaged = problems.map(({ message }) => ` Not readable: ${message}`).join('');
    const why =
      ids.length === 0 ? 'There are no pull requests yet.' : `"${wanted}" has no pull request.`;
    throw new WiggumError('PULL_REQUEST_MISSING', `${why}${damaged}`, { cause });
  }
}
