import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';

/** No file that we read for its words is longer. */
const MAX_BYTES = 1 << 24;

/**
 * Reads a text file that an agent may have made; undefined when there is none, or one that is too
 * long. A link, a folder, a pipe or a device in its place is no file: nothing is followed or waited
 * for. It is opened first and looked at then, so it cannot be exchanged in between.
 */
export async function readPlainFile(
  file: string,
  maxBytes = MAX_BYTES,
): Promise<string | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(unlessNoFile);
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    return stats.isFile() && stats.size <= maxBytes ? await handle.readFile('utf8') : undefined;
  } finally {
    await handle.close();
  }
}

/** Size of a file that an agent may have made; undefined when there is none that could be read. */
export async function plainFileSize(file: string): Promise<number | undefined> {
  const found = await lstat(file).catch(unlessNoFile);
  return found?.isFile() ? found.size : undefined;
}

// Everything else is a fault of the machine, and no answer.
function unlessNoFile(cause: NodeJS.ErrnoException): undefined {
  if (!NO_FILE.includes(cause.code ?? '')) throw cause;
}

const NO_FILE = [
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'EMLINK', // a link, as some systems say it
  'ENXIO', // a socket
  'EOPNOTSUPP',
  'EACCES',
  'EPERM',
  'ENAMETOOLONG',
];
