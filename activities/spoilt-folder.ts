import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { RunPlace } from '../workflows/domain/agent.ts';
import { WiggumError } from '../workflows/domain/errors.ts';

/** As systems say that a file stands where a folder belongs, or the other way round. */
const IN_THE_WAY = ['ENOTDIR', 'EISDIR', 'ELOOP', 'EMLINK', 'ENXIO'];

/**
 * Makes an error of ours of one that says that something else stands where a file or folder of a task
 * run belongs. Only an agent puts it there, and it does not go away by trying again.
 */
export async function spoiltFolder(
  cause: unknown,
  { workerDir, taskId }: RunPlace,
): Promise<unknown> {
  if (cause instanceof WiggumError) return cause;
  const target = targetOf(cause as NodeSystemError);
  if (target === undefined || !isWithin(workerDir, target)) return cause;
  const where = await firstNoFolder(workerDir, target);
  return new WiggumError(
    'WORKER_FOLDER_SPOILT',
    `an agent left ${await kindOf(where)} in the way: ${(cause as Error).message}; ` +
      `\`wiggum worker start ${taskId}\` begins in a new folder`,
    { where, cause },
  );
}

type NodeSystemError = NodeJS.ErrnoException & { dest?: string };

function targetOf({ code = '', syscall, path: source, dest }: NodeSystemError): string | undefined {
  // A folder that is made whatever stands there already is refused by what is none, also by a link
  // that leads nowhere; a file of that name is another matter.
  const isRefused = syscall === 'mkdir' && (code === 'EEXIST' || code === 'ENOENT');
  return isRefused || IN_THE_WAY.includes(code) ? (dest ?? source) : undefined;
}

function isWithin(folder: string, file: string): boolean {
  return file === folder || file.startsWith(folder + path.sep);
}

/** The first part of a path below a folder that is no folder itself; the whole path when all are. */
async function firstNoFolder(folder: string, file: string): Promise<string> {
  let at = folder;
  for (const part of ['', ...path.relative(folder, file).split(path.sep)]) {
    at = path.join(at, part);
    if (!(await lstat(at).catch(() => undefined))?.isDirectory()) return at;
  }
  return file;
}

async function kindOf(file: string): Promise<string> {
  const found = await lstat(file).catch(() => undefined);
  if (found?.isDirectory()) return 'a folder';
  if (found?.isSymbolicLink()) return 'a link';
  return found?.isFile() ? 'a file' : 'something else';
}
