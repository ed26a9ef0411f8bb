import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import type { Environment } from './state-dir.ts';

/**
 * Finds a program by its name on PATH, or at the path that is given; undefined when it is not there.
 * An empty entry of PATH is passed over: the folder we stand in is a project that agents write to.
 */
export async function findProgram(
  name: string,
  environment: Environment,
  cwd: string,
): Promise<string | undefined> {
  const path = (environment['PATH'] ?? '').split(delimiter).filter(Boolean);
  for (const folder of name.includes('/') ? ['.'] : path) {
    const candidate = resolve(cwd, folder, name);
    if (await isProgram(candidate)) return candidate;
  }
  return undefined;
}

/** The program of the `claude` backend: `CLAUDE` names another than `claude`. */
export function claudeProgram(environment: Environment): string {
  return environment['CLAUDE'] || 'claude';
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
