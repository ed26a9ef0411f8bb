import { randomUUID } from 'node:crypto';
import { link, rm, writeFile } from 'node:fs/promises';

/**
 * Creates a whole file at once; false when there is one already. Nobody ever sees half of it, and of
 * several processes one wins: a link is refused when its name is taken.
 */
export async function createFile(file: string, text: string, mode = 0o666): Promise<boolean> {
  const draft = `${file}.${randomUUID()}.new`;
  try {
    await writeFile(draft, text, { mode, flush: true });
    await link(draft, file);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  } finally {
    await rm(draft, { force: true });
  }
}
