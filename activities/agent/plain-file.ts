import { readFile, stat } from 'node:fs/promises';

/** No file that we read for its words is that long. */
const MAX_BYTES = 1 << 24;

/**
 * Size of a file that agents can reach; undefined when there is none. A folder, a pipe or a device in
 * its place is no file: reading it would fail for ever, or never end.
 */
export async function plainFileSize(file: string): Promise<number | undefined> {
  const found = await stat(file).catch((cause: NodeJS.ErrnoException) => {
    if (NOT_THERE.includes(cause.code ?? '')) return undefined;
    throw cause;
  });
  return found?.isFile() ? found.size : undefined;
}

/** Reads a text file that agents can reach; undefined when there is none, or when it is no text of bounded size. */
export async function readPlainFile(file: string): Promise<string | undefined> {
  const size = await plainFileSize(file);
  return size === undefined || size > MAX_BYTES ? undefined : readFile(file, 'utf8');
}

const NOT_THERE = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENAMETOOLONG'];
