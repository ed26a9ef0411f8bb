import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { WiggumError } from '../workflows/domain/errors.ts';
import { createFile } from './create-file.ts';
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

type Identity = z.infer<typeof ProjectFile>;

async function projectId(projectDir: string, ralphDir: string) {
  const file = join(ralphDir, 'project.json');
  const kept = await readProjectFile(file);
  if (kept?.path === projectDir) return { id: kept.id, notices: [] };
  try {
    if (!kept) {
      const fresh = { id: freshId(basename(projectDir)), path: projectDir };
      // The first of two commands wins; the other one takes over its answer.
      const won = await createFile(file, render(fresh));
      const { id } = won ? fresh : ((await readProjectFile(file)) ?? fresh);
      return { id, notices: [] };
    }
    if (!(await isCopy(kept, ralphDir))) {
      await replaceFile(file, render({ id: kept.id, path: projectDir }));
      return { id: kept.id, notices: [] };
    }
    // Made from this very file and its place, so that several commands at once make the same.
    const id = idFrom(basename(projectDir), `${kept.id} ${projectDir} ${kept.stamp}`);
    await replaceFile(file, render({ id, path: projectDir }));
    const notice = `This is a copy of ${kept.path}, which is still there: it is now the project ${id} of its own.`;
    return { id, notices: [notice] };
  } catch (cause) {
    if (cause instanceof WiggumError) throw cause;
    throw new WiggumError('NOT_WRITABLE', `The project's id cannot be kept: ${reason(cause)}`, {
      where: ralphDir,
      cause,
    });
  }
}

/** Whether the folder that the file names is another one, and still is the project with that id. */
async function isCopy(kept: Identity, ralphDir: string): Promise<boolean> {
  const theirs = join(kept.path, '.ralph');
  const there = await readProjectFile(join(theirs, 'project.json')).catch(() => undefined);
  if (there?.id !== kept.id) return false;
  const [a, b] = await Promise.all([stat(theirs), stat(ralphDir)]);
  return a.dev !== b.dev || a.ino !== b.ino;
}

async function readProjectFile(file: string): Promise<(Identity & { stamp: string }) | undefined> {
  const found = await readStamped(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return undefined;
    throw unusable(file, cause.message, cause);
  });
  if (found === undefined) return undefined;
  const { text, stamp } = found;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unusable(file, text.trim() === '' ? 'it is empty' : 'it is not JSON', cause);
  }
  const parsed = ProjectFile.safeParse(value);
  if (parsed.success) return { ...parsed.data, stamp };
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw unusable(file, faults.join('; '), parsed.error);
}

/** Reads a file with what tells it from every other one, copies of it included. */
async function readStamped(file: string): Promise<{ text: string; stamp: string }> {
  const handle = await open(file);
  try {
    const { ino, ctimeNs, nlink } = await handle.stat({ bigint: true });
    // Replaced in this very moment, which changes its times.
    if (nlink === 0n) return await readStamped(file);
    return { text: await handle.readFile('utf8'), stamp: `${ino} ${ctimeNs}` };
  } finally {
    await handle.close();
  }
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
  return idFrom(name, randomUUID());
}

function idFrom(name: string, seed: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  const tail = createHash('sha256').update(seed).digest('hex').slice(0, 8);
  return `${slug || 'project'}-${tail}`;
}

function render(identity: Identity): string {
  return `${JSON.stringify(identity, null, 2)}\n`;
}

async function replaceFile(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}.new`;
  try {
    await writeFile(draft, text, { flush: true });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
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
