import os from 'node:os';
import path from 'node:path';
import type { Environment } from '../../config/state-dir.ts';

/** Names the folder of what can be fetched again: programs. */
export function cacheDir(environment: Environment, platform = process.platform): string {
  const { WIGGUM_CACHE_DIR: own, XDG_CACHE_HOME: xdg, HOME: home = os.homedir() } = environment;
  if (own) return path.resolve(own);
  if (xdg) return path.join(xdg, 'chief-wiggum');
  return platform === 'darwin'
    ? path.join(home, 'Library', 'Caches', 'chief-wiggum')
    : path.join(home, '.cache', 'chief-wiggum');
}
