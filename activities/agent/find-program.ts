import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { WiggumError } from '../../workflows/domain/errors.ts';

/** Finds a program as a shell would, so that a missing one is named before anything is started. */
export async function findProgram(name: string, path: string | undefined): Promise<string> {
  const candidates =
    isAbsolute(name) || name.includes('/')
      ? [resolve(name)]
      : (path ?? '').split(delimiter).map((folder) => join(folder || '.', name));
  for (const candidate of candidates) if (await isExecutable(candidate)) return candidate;
  throw new WiggumError('BACKEND_MISSING', `The program \`${name}\` is not on PATH.`, {
    where: name,
  });
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
