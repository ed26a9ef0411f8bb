import { loadRun } from '../config/load-definitions.ts';
import { claudeProgram, findProgram } from '../config/find-program.ts';
import { boardFile, readBoardFile } from '../config/open-board.ts';
import { openProject, type Project } from '../config/project.ts';
import { loadProjectConfig } from '../config/project-config.ts';
import type { Environment } from '../config/state-dir.ts';
import type { Board } from '../workflows/domain/board.ts';
import { WiggumError } from '../workflows/domain/errors.ts';
import type { SweepSettings } from '../workflows/domain/sweep.ts';
import type { CommandContext } from './command.ts';
import { gitVersion, hasCommit, isSupportedGit, uncommittedFiles } from './git.ts';
import { resolveSettings, type SweepFlags } from './sweep-settings.ts';

export interface Prepared {
  project: Project;
  board: Board;
  settings: SweepSettings;
}

/** Finds out before anything starts whether a run can work; each obstacle has its own error. */
export async function preflight(context: CommandContext, flags: SweepFlags): Promise<Prepared> {
  const { cwd, environment, log } = context;
  await mustHaveGit(cwd);
  const { project, notices } = await openProject(cwd, environment);
  for (const notice of notices) log.warn(notice);
  const { projectDir, ralphDir } = project;
  const config = await loadProjectConfig(ralphDir, environment);
  const settings = await resolveSettings({ flags, environment, config, cwd, projectDir });
  const { board } = await readBoardFile(boardFile(ralphDir));
  refuseInvalid(board, boardFile(ralphDir));
  if (!(await hasCommit(projectDir)))
    throw new WiggumError('NO_COMMIT', 'The repository has no commit yet.', { where: projectDir });
  const dirty = await uncommittedFiles(projectDir);
  if (dirty.length > 0)
    log.warn(
      `uncommitted changes in ${dirty.slice(0, 3).join(', ')}${dirty.length > 3 ? ` and ${dirty.length - 3} more` : ''}: the work starts from HEAD and does not see them`,
    );
  // A run that was interrupted goes on with the backend that it began with: asked when it is known.
  if (!board.tasks.some(({ marker }) => marker === '=')) await mustHaveBackend(settings, context);
  await mustHavePipeline({ board, settings, ralphDir, environment });
  return { project, board, settings };
}

/** Refuses a backend whose program is not there. */
export async function mustHaveBackend(
  { backend }: SweepSettings,
  { environment, cwd }: Pick<CommandContext, 'environment' | 'cwd'>,
): Promise<void> {
  if (backend !== 'claude') return;
  const program = claudeProgram(environment);
  if (await findProgram(program, environment, cwd)) return;
  throw new WiggumError(
    'BACKEND_MISSING',
    `The program "${program}" of the claude backend is not installed or not on PATH.`,
  );
}

/** An older git lacks what merges are made with: tasks would fail only at their end. */
async function mustHaveGit(cwd: string): Promise<void> {
  const version = await gitVersion(cwd);
  if (!isSupportedGit(version))
    throw new WiggumError('GIT_UNSUPPORTED', `This git is too old: ${version.join('.')}.`);
}

/** A pipeline that cannot be used would fail every task; better to say so once. */
async function mustHavePipeline(input: {
  board: Board;
  settings: SweepSettings;
  ralphDir: string;
  environment: Environment;
}): Promise<void> {
  const { board, settings, ralphDir, environment } = input;
  const next = board.tasks.find(({ marker }) => marker === ' ')?.id ?? '';
  const { pipeline } = settings;
  await loadRun(
    { taskId: next, ...(pipeline !== undefined && { pipeline }) },
    { ralphDir, environment },
  );
}

function refuseInvalid(board: Board, file: string): void {
  const errors = board.problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  const lines = errors.map(({ line, message }) => `\n  line ${line}: ${message}`);
  throw new WiggumError('BOARD_INVALID', `The board cannot be used:${lines.join('')}`, {
    where: file,
  });
}
