import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

/** Variables of a process, as a parameter: nothing here reads the real ones by itself. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Names the folder that outlives a project: the embedded server's data and this machine's id. */
export function stateDir(environment: Environment, platform = process.platform): string {
  const { WIGGUM_STATE_DIR: own, XDG_STATE_HOME: xdg } = environment;
  if (own) return resolve(own);
  // A relative path says something else in every folder: the standard has it ignored.
  if (xdg && isAbsolute(xdg)) return join(xdg, 'chief-wiggum');
  const home = environment['HOME'] || homedir();
  return platform === 'darwin'
    ? join(home, 'Library', 'Application Support', 'chief-wiggum')
    : join(home, '.local', 'state', 'chief-wiggum');
}
