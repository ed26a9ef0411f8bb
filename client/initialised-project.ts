import { findProject } from '../config/project.ts';
import { WiggumError } from '../workflows/domain/errors.ts';

/** Finds the project around a folder for commands that only read its files. */
export async function initialisedProject(
  cwd: string,
): Promise<{ projectDir: string; ralphDir: string }> {
  const { projectDir, ralphDir, initialised } = await findProject(cwd);
  if (initialised) return { projectDir, ralphDir };
  throw new WiggumError('NOT_INITIALISED', 'This repository has no .ralph folder yet.', {
    where: projectDir,
  });
}
