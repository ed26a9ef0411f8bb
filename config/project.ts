import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { WiggumError } from '../workflows/domain/errors.ts';
import { stateDir, type Environment } from './state-dir.ts';

/** A repository with a board, and the machine it is worked on. */
export interface Project {
  /** `<slug of the folder's name>-<8 hex>`: part of every workflow id. */
  id: string;
  /** `<machine id>-<8 hex of the project>`: names the queues that reach these files. */
  hostId: string;
  projectDir: string;
  /** `.ralph` of the project. */
  ralphDir: string;
}

/** A project and what a person should hear about how it was opened. */
export interface OpenedProject {
  project: Project;
  notices: string[];
}

const ProjectFile = z.object({
  id: z.string().regex(/^[a-z0-9-]+-[0-9a-f]{8}$/, 'must look like my-project-0123abcd'),
  path: z.string().min(1),
});
const MACHINE_ID = /^[a-z0-9-]+-[0-9a-f]{8}$/;

/** Finds the repository around a folder, initialised or not. */
export async function findProject(
  cwd: string,
): Promise<{ projectDir: string; ralphDir: string; initialised: boolean }> {
  for (let folder = await realpath(cwd); ; folder = dirname(folder)) {
    // A linked worktree and a submodule have a file of that name.
    if (await exists(join(folder, '.git'))) {
      const ralphDir = join(folder, '.ralph');
      return { projectDir: folder, ralphDir, initialised: await isFolder(ralphDir) };
    }
    if (folder === dirname(folder))
      throw new WiggumError('NOT_A_REPOSITORY', 'This folder is not inside a git repository.', {
        where: cwd,
      });
  }
}

/** Opens the project around a folder; gives it its id when it has none yet. */
export async function openProject(cwd: string, environment: Environment): Promise<OpenedProject> {
  const { projectDir, ralphDir, initialised } = await findProject(cwd);
  if (!initialised)
    throw new WiggumError('NOT_INITIALISED', 'This repository has no .ralph folder yet.', {
      where: projectDir,
    });
  const { id, notices } = await projectId(projectDir, ralphDir);
  const machine = await machineId(stateDir(environment));
  return {
    project: { id, hostId: `${machine}-${id.slice(-8)}`, projectDir, ralphDir },
    notices,
  };
}

async function projectId(projectDir: string, ralphDir: string) {
  const file = join(ralphDir, 'project.json');
  const kept = await readProjectFile(file);
  if (!kept) {
    const made = { id: freshId(basename(projectDir)), path: projectDir };
    // The first of two commands wins; the other one takes over its answer.
    const won = await createFile(file, `${JSON.stringify(made, null, 2)}\n`);
    const { id } = won ? made : ((await readProjectFile(file)) ?? made);
    return { id, notices: [] };
  }
  if (kept.path === projectDir) return { id: kept.id, notices: [] };
  if (!(await isSameProject(kept))) {
    await replaceFile(file, `${JSON.stringify({ id: kept.id, path: projectDir }, null, 2)}\n`);
    return { id: kept.id, notices: [] };
  }
  const made = { id: freshId(basename(projectDir)), path: projectDir };
  await replaceFile(file, `${JSON.stringify(made, null, 2)}\n`);
  const notice = `This is a copy of ${kept.path}, which is still there: it is now the project ${made.id} of its own.`;
  return { id: made.id, notices: [notice] };
}

/** Whether the folder that the file names still is the project with that id. */
async function isSameProject(kept: { id: string; path: string }): Promise<boolean> {
  const there = await readProjectFile(join(kept.path, '.ralph', 'project.json')).catch(
    () => undefined,
  );
  return there?.id === kept.id;
}

async function readProjectFile(file: string): Promise<z.infer<typeof ProjectFile> | undefined> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return undefined;
    throw unusable(file, cause.message, cause);
  });
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unusable(file, text.trim() === '' ? 'it is empty' : 'it is not JSON', cause);
  }
  const parsed = ProjectFile.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw unusable(file, faults.join('; '), parsed.error);
}

function unusable(file: string, fault: string, cause: unknown): WiggumError {
  return new WiggumError(
    'CONFIG_INVALID',
    `The project's identity cannot be read: ${fault}. Restore the file from a backup, or remove it to begin as a new project.`,
    { where: file, cause },
  );
}

async function machineId(folder: string): Promise<string> {
  const file = join(folder, 'host-id');
  const kept = await readMachineId(file);
  if (kept) return kept;
  const made = freshId(hostname());
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (await createFile(file, `${made}\n`)) return made;
  } catch (cause) {
    throw new WiggumError('NOT_WRITABLE', `The state folder cannot be written: ${reason(cause)}`, {
      where: folder,
      cause,
    });
  }
  return (await readMachineId(file)) ?? made;
}

async function readMachineId(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return undefined;
    throw new WiggumError('CONFIG_INVALID', `The machine's id cannot be read: ${cause.message}`, {
      where: file,
      cause,
    });
  });
  if (text === undefined || MACHINE_ID.test(text.trim())) return text?.trim();
  throw new WiggumError(
    'CONFIG_INVALID',
    'The machine’s id is damaged. Put the id back that open tasks use (it is in their queue names), or remove the file when none are open.',
    { where: file },
  );
}

function freshId(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  return `${slug || 'project'}-${randomBytes(4).toString('hex')}`;
}

/** Creates a whole file at once; false when there is one already. A killed process leaves no half. */
async function createFile(file: string, text: string): Promise<boolean> {
  const draft = `${file}.${process.pid}.new`;
  await writeFile(draft, text, { flush: true });
  try {
    await link(draft, file);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  } finally {
    await rm(draft, { force: true });
  }
}

async function replaceFile(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}.new`;
  await writeFile(draft, text, { flush: true });
  await rename(draft, file);
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
