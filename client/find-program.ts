import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { Environment } from '../config/state-dir.ts';

/** Finds a program by its name on PATH, or at the path that is given; undefined when it is not there. */
export async function findProgram(
  name: string,
  environment: Environment,
  cwd: string,
): Promise<string | undefined> {
  const places =
    isAbsolute(name) || name.includes('/')
      ? [resolve(cwd, name)]
      : (environment['PATH'] ?? '')
          .split(delimiter)
          .filter(Boolean)
          .map((folder) => join(folder, name));
  for (const place of places) if (await isProgram(place)) return place;
  return undefined;
}

/** The program of the `claude` backend: `CLAUDE` names another than `claude`. */
export function claudeProgram(environment: Environment): string {
  return environment['CLAUDE'] || 'claude';
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
