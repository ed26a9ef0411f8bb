import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { DefinitionPlaces } from '../../config/find-definitions.ts';

/** A folder with `.ralph/` and `home/`, the second standing for an installation. */
export interface DefinitionFolder {
  dir: string;
  write: (files: Record<string, string>) => Promise<void>;
  /** Without an installation. */
  places: DefinitionPlaces;
  /** With WIGGUM_HOME set to `home/`. */
  homed: DefinitionPlaces;
}

/** Makes such a folder, lets a test use it, and removes it whatever happens. */
export async function withDefinitions(
  use: (folder: DefinitionFolder) => Promise<void>,
): Promise<void> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'wiggum-definitions-'));
  const ralphDir = path.join(dir, '.ralph');
  try {
    await mkdir(ralphDir);
    await use({
      dir,
      write: async (files) => {
        for (const [name, text] of Object.entries(files)) {
          await mkdir(path.dirname(path.join(dir, name)), { recursive: true });
          await writeFile(path.join(dir, name), text);
        }
      },
      places: { ralphDir, environment: {} },
      homed: { ralphDir, environment: { WIGGUM_HOME: path.join(dir, 'home') } },
    });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
