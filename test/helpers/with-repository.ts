import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { RunPlace } from '../../workflows/domain/agent.ts';

const run = promisify(execFile);

/** A project in a temporary folder: a repository with a commit on `main`, and `.ralph/`. */
export interface TestProject {
  dir: string;
  place: (taskId?: string, epoch?: number) => RunPlace;
  /** Runs git as the user does, in the project unless another folder is named. */
  git: (args: string[], cwd?: string) => Promise<string>;
  write: (files: Record<string, string>, cwd?: string) => Promise<void>;
  commit: (message: string, files: Record<string, string>) => Promise<string>;
  remove: () => Promise<void>;
}

const USER = {
  GIT_AUTHOR_NAME: 'A User',
  GIT_AUTHOR_EMAIL: 'user@example.com',
  GIT_COMMITTER_NAME: 'A User',
  GIT_COMMITTER_EMAIL: 'user@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};

const BEGIN = 'git init --quiet --initial-branch=main';
const FIRST_COMMIT = 'git add README.md src/app.txt && git commit --quiet -m First';

/** Makes a project, lets a test use it, and removes it whatever happens. */
export async function withRepository(use: (project: TestProject) => Promise<void>): Promise<void> {
  const project = await makeRepository();
  try {
    await use(project);
  } finally {
    await project.remove();
  }
}

/** Makes a project that the caller removes. */
export async function makeRepository(options: { empty?: boolean } = {}): Promise<TestProject> {
  const home = await realpath(await mkdtemp(path.join(os.tmpdir(), 'wiggum-project-')));
  const dir = path.join(home, 'project');
  const ralphDir = path.join(dir, '.ralph');
  const git = async (args: string[], cwd = dir) => {
    const { stdout } = await run('git', args, { cwd, env: { ...process.env, ...USER } });
    return stdout.trimEnd();
  };
  const write = async (files: Record<string, string>, cwd = dir) => {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(cwd, name)), { recursive: true });
      await writeFile(path.join(cwd, name), text);
    }
  };
  const commit = async (message: string, files: Record<string, string>) => {
    await write(files);
    await git(['add', '--', ...Object.keys(files)]);
    await git(['commit', '--quiet', '-m', message]);
    return git(['rev-parse', 'HEAD']);
  };

  await mkdir(ralphDir, { recursive: true });
  await write({ '.ralph/.gitignore': '*\n' });
  if (!options.empty) await write({ 'README.md': 'hello\n', 'src/app.txt': 'one\n' });
  // By one process: hundreds of tests begin with this.
  await run('sh', ['-c', options.empty ? BEGIN : `${BEGIN} && ${FIRST_COMMIT}`], {
    cwd: dir,
    env: { ...process.env, ...USER },
  });
  return {
    dir,
    git,
    write,
    commit,
    place: (taskId = 'TASK-001', epoch = 1700000000) => {
      const workerDir = path.join(ralphDir, 'workers', `worker-${taskId}-${epoch}`);
      const workspace = path.join(workerDir, 'workspace');
      return { projectDir: dir, ralphDir, workerDir, workspace, taskId, epoch };
    },
    remove: () => rm(home, { recursive: true, force: true }),
  };
}
