import { boardFile, readBoardFile } from '../../config/open-board.ts';
import { findProject } from '../../config/project.ts';
import { loadProjectConfig } from '../../config/project-config.ts';
import { configFilesOf } from '../../config/config-file.ts';
import { describeProblem } from '../../config/agent-definition.ts';
import type { Environment } from '../../config/state-dir.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { checkDefinitions } from '../check-definitions.ts';
import { askGit, hasCommit } from '../git.ts';
import { counted } from '../render/amounts.ts';
import { fail, pass, warn, type Check } from './check.ts';

const SHOWN_FAULTS = 3;

/** Looks at the project around a folder; outside of one there is only that to say. */
export async function checkProject(cwd: string, environment: Environment): Promise<Check[]> {
  let project: Awaited<ReturnType<typeof findProject>>;
  try {
    project = await findProject(cwd);
  } catch (cause) {
    if (!(cause instanceof WiggumError)) throw cause;
    return [warn('repository', cause.message, cause.hint)];
  }
  const { projectDir, ralphDir, initialised } = project;
  const around = [pass('repository', projectDir), ...(await checkBranch(project, environment))];
  if (!initialised)
    return [...around, warn('.ralph', 'not there yet', 'Run `wiggum init` to set it up.')];
  return [
    ...around,
    pass('.ralph', ralphDir),
    await checkBoard(ralphDir),
    await checkSettings(ralphDir, environment),
    await checkPipelines(ralphDir, environment),
  ];
}

async function checkBranch(
  { projectDir, ralphDir, initialised }: Awaited<ReturnType<typeof findProject>>,
  environment: Environment,
): Promise<Check[]> {
  const refuse = (found: string, advice: string) => [fail('default branch', found, advice)];
  try {
    if (!(await hasCommit(projectDir)))
      return refuse('the repository has no commit', 'Make a first commit: tasks start from it.');
    const asked = initialised
      ? (await loadProjectConfig(ralphDir, environment).catch(() => undefined))?.git.default_branch
      : undefined;
    if (asked !== undefined)
      return (await isBranch(projectDir, asked))
        ? [pass('default branch', `${asked} (git.default_branch)`)]
        : refuse(
            `there is no branch ${asked}`,
            'Correct git.default_branch in .ralph/config.json, or make the branch.',
          );
    const head = (await askGit(projectDir, ['rev-parse', '--abbrev-ref', 'HEAD'])).trim();
    return head === 'HEAD'
      ? [
          warn(
            'default branch',
            'HEAD is detached',
            'Check out the branch that changes are merged into, or set git.default_branch.',
          ),
        ]
      : [pass('default branch', `${head} (checked out)`)];
  } catch (cause) {
    if (!(cause instanceof WiggumError)) throw cause;
    return refuse(cause.message, cause.hint);
  }
}

async function isBranch(projectDir: string, name: string): Promise<boolean> {
  const words = ['rev-parse', '--verify', '--quiet', '--end-of-options', `refs/heads/${name}`];
  return askGit(projectDir, words).then(
    () => true,
    () => false,
  );
}

async function checkBoard(ralphDir: string): Promise<Check> {
  try {
    const { board } = await readBoardFile(boardFile(ralphDir));
    const found = counted(board.tasks.length, 'task');
    if (board.problems.length === 0) return pass('board', found);
    const faults = board.problems.map(({ line, message }) => `line ${line}: ${message}`);
    return fail(
      'board',
      `${counted(faults.length, 'error')}: ${some(faults)}`,
      'Correct the lines; `wiggum validate` lists all of them.',
    );
  } catch (cause) {
    if (!(cause instanceof WiggumError)) throw cause;
    return fail('board', cause.message, cause.hint);
  }
}

async function checkSettings(ralphDir: string, environment: Environment): Promise<Check> {
  try {
    await loadProjectConfig(ralphDir, environment);
    return pass('settings', '.ralph/config.json');
  } catch (cause) {
    if (!(cause instanceof WiggumError)) throw cause;
    return fail('settings', cause.message, cause.hint);
  }
}

async function checkPipelines(ralphDir: string, environment: Environment): Promise<Check> {
  const name = 'pipelines and agents';
  const report = await checkDefinitions({ ralphDir, environment });
  // Files of settings have a check of their own.
  const settings = configFilesOf(ralphDir, environment);
  const problems = report.problems
    .filter(({ file }) => !settings.includes(file))
    .map(describeProblem);
  const notices = report.notices.map(describeProblem);
  const advice = '`wiggum validate` lists everything.';
  if (problems.length > 0) return fail(name, some(problems), `Correct the files; ${advice}`);
  return notices.length > 0 ? warn(name, some(notices), advice) : pass(name, 'valid');
}

function some(faults: readonly string[]): string {
  const more = faults.length - SHOWN_FAULTS;
  return faults.slice(0, SHOWN_FAULTS).join('; ') + (more > 0 ? `; and ${more} more` : '');
}
