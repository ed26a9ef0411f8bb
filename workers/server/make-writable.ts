import { access, constants, mkdir } from 'node:fs/promises';
import { WiggumError } from '../../workflows/domain/errors.ts';

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
