import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { boardFile } from '../config/open-board.ts';
import { packageRoot } from '../config/package-root.ts';

const run = promisify(execFile);

/** The scratch folder of one demo. */
export interface DemoProject {
  folder: string;
  /** The repository that is worked on. */
  projectDir: string;
  ralphDir: string;
  /** One line per start and action of an agent; outside of every workspace. */
  ledger: string;
}

const IDENTITY = ['-c', 'user.name=Demo', '-c', 'user.email=demo@localhost'];

/** Makes a small real repository with a scenario for its agents; nobody else's files are touched. */
export async function makeDemoProject(): Promise<DemoProject> {
  const shipped = join(packageRoot(), 'config', 'demo');
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'chief-wiggum-demo-')));
  const projectDir = join(folder, 'pocket-notes');
  await cp(join(shipped, 'project'), projectDir, { recursive: true });
  await mkdir(join(folder, 'script'));
  await cp(join(shipped, 'scenario.yaml'), join(folder, 'script', 'scenario.yaml'));
  const git = (...words: string[]) => run('git', [...IDENTITY, ...words], { cwd: projectDir });
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'Pocket notes, first version');
  return {
    folder,
    projectDir,
    ralphDir: join(projectDir, '.ralph'),
    ledger: join(folder, 'ledger.jsonl'),
  };
}

/** Puts the sample board in the place of the template that `init` wrote. */
export async function fillDemoBoard({ ralphDir }: DemoProject): Promise<void> {
  const board = await readFile(join(packageRoot(), 'config', 'demo', 'kanban.md'), 'utf8');
  await writeFile(boardFile(ralphDir), board);
  const settings = {
    runtime: { backend: 'script', script: '../script/scenario.yaml' },
    checks: ['node --test'],
  };
  await writeFile(join(ralphDir, 'config.json'), `${JSON.stringify(settings, null, 2)}\n`);
}
