import { mkdir, access, constants } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { WiggumError } from '../../workflows/domain/errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const OURS = 'chief-wiggum';

/** Names the folder of what we keep between commands: server data, host id, logs. */
export function stateDir(environment: Environment, platform = process.platform): string {
  const { WIGGUM_STATE_DIR: own, XDG_STATE_HOME: xdg } = environment;
  if (own) return path.resolve(own);
  if (xdg) return path.join(xdg, OURS);
  return platform === 'darwin'
    ? path.join(home(environment), 'Library', 'Application Support', OURS)
    : path.join(home(environment), '.local', 'state', OURS);
}

/** Names the folder of what can be fetched again: programs. */
export function cacheDir(environment: Environment, platform = process.platform): string {
  const { WIGGUM_CACHE_DIR: own, XDG_CACHE_HOME: xdg } = environment;
  if (own) return path.resolve(own);
  if (xdg) return path.join(xdg, OURS);
  return platform === 'darwin'
    ? path.join(home(environment), 'Library', 'Caches', OURS)
    : path.join(home(environment), '.cache', OURS);
}

/** Makes a folder for this user alone, and proves that it can be written to. */
export async function makeWritable(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK | constants.X_OK);
    return folder;
  } catch (cause) {
    throw new WiggumError(
      'NOT_WRITABLE',
      `The folder ${folder} cannot be used: ${(cause as Error).message}`,
      { where: folder, cause },
    );
  }
}

function home(environment: Environment): string {
  return environment['HOME'] ?? os.homedir();
}
