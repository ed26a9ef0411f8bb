import { readdir, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { claudeProgram, findProgram } from '../../../config/find-program.ts';
import type { Environment } from '../../../config/state-dir.ts';
import { WiggumError } from '../../../workflows/domain/errors.ts';
import type { Command, TurnContext } from '../backend.ts';
import { allowedEnvironment } from '../environment.ts';

/** Command of a new session under the id that the workflow chose. */
export function startCommand(context: TurnContext): Promise<Command> {
  const role = context.systemFile ? ['--append-system-prompt-file', context.systemFile] : [];
  return command(context, ['--session-id', context.turn.sessionId, ...role]);
}

/** Command that goes on with a session; it keeps the role it was begun with. */
export function resumeCommand(context: TurnContext): Promise<Command> {
  return command(context, ['--resume', context.turn.sessionId]);
}

/**
 * Whether a session can be resumed. Its file decides, not what a stream once said: the file comes
 * a moment after the first line, and the program refuses to create what is there or to resume what is not.
 */
export async function sessionExists({
  turn,
  environment,
}: Pick<TurnContext, 'turn' | 'environment'>): Promise<boolean> {
  const projects = join(configFolder(environment), 'projects');
  // The folder's name is made from the working directory by a rule of the program; the id is ours and unique.
  const folders = await readdir(projects).catch(() => []);
  for (const folder of folders) {
    const file = join(projects, folder, `${turn.sessionId}.jsonl`);
    const found = await stat(file).catch(() => undefined);
    if (found && found.size > 0) return true;
    // An empty file can neither be resumed nor created again.
    if (found) await rm(file, { force: true });
  }
  return false;
}

/** Edits stay inside the workspace. Naming Edit or Write as allowed would open the whole disk to them. */
const WORKING = ['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash'];
/**
 * No restore point stands around a supervisor: it can read, and nothing else. Not even with git, whose
 * `diff --output` writes.
 */
const LOOKING = ['--permission-mode', 'dontAsk', '--allowedTools', 'Read,Grep,Glob'];

async function command(context: TurnContext, session: string[]): Promise<Command> {
  const { turn, environment } = context;
  return {
    program: await programOf(environment),
    args: [
      '--print',
      ...['--output-format', 'stream-json'],
      '--verbose',
      // Brings the true token counts of each answer, also of a run that is killed.
      '--include-partial-messages',
      ...session,
      ...['--max-turns', String(turn.limits.maxTurns)],
      ...(turn.purpose === 'supervise' ? LOOKING : WORKING),
      // The requirements to tick off and the plan to write lie outside the workspace.
      ...['--add-dir', turn.place.workerDir, join(turn.place.ralphDir, 'plans')],
      // The repository is the agents' to edit: hooks that it brings must not run.
      ...['--setting-sources', 'user'],
    ],
    environment: {
      CLAUDE_CODE_MAX_RETRIES: '5',
      API_TIMEOUT_MS: '300000',
      ...allowedEnvironment(environment, isForClaude),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      // Without this a run may go on behind its result, and have several.
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    },
  };
}

/** A missing program is named before anything is started. */
async function programOf(environment: Environment): Promise<string> {
  const name = claudeProgram(environment);
  const program = await findProgram(name, environment, process.cwd());
  if (program) return program;
  throw new WiggumError('BACKEND_MISSING', `The program \`${name}\` is not on PATH.`, {
    where: name,
  });
}

/** Set by a session around us, about itself: a new session must not take them for its own. */
const OF_ANOTHER_SESSION =
  /^(CLAUDE_CODE_(CHILD_SESSION|SESSION_ID|ENTRYPOINT|EXECPATH|MESSAGING_.*)|CLAUDE_(PID|EFFORT|PROJECT_DIR))$/;

function isForClaude(name: string): boolean {
  return (
    (/^(ANTHROPIC|CLAUDE)_/.test(name) || name === 'API_TIMEOUT_MS') &&
    !OF_ANOTHER_SESSION.test(name)
  );
}

function configFolder(environment: Environment): string {
  return environment['CLAUDE_CONFIG_DIR'] || join(environment['HOME'] || homedir(), '.claude');
}
