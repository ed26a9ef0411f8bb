import type { Environment } from './state-dir.ts';

/**
 * The level between a project and what is shipped: the folder that WIGGUM_HOME names (checklist 201).
 * Only when it is set: an installation of the original would bring its own agents under our names.
 */
export function globalFolders(environment: Environment): string[] {
  const home = environment['WIGGUM_HOME'];
  return home ? [home] : [];
}
