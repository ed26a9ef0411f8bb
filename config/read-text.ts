import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { WiggumError } from '../workflows/domain/errors.ts';

/** More than any agent or pipeline needs, and little enough for every check to be quick. */
const MAX_BYTES = 256 * 1024;

/** The text of a file that people write for us; undefined when there is none, refused when it is no text. */
export async function readText(file: string): Promise<string | undefined> {
  try {
    const bytes = await readBytes(file);
    const fault = faultOf(bytes);
    if (fault === undefined) return bytes.toString('utf8');
    throw new Error(fault);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new WiggumError('CONFIG_INVALID', `the file cannot be read: ${message}`, {
      where: file,
      cause,
    });
  }
}

async function readBytes(file: string): Promise<Buffer> {
  // Opening a pipe waits for its writer, unless one asks not to wait.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new Error(`it is ${found.isDirectory() ? 'a folder' : 'no file'}`);
    if (found.size > MAX_BYTES)
      throw new Error(`it has ${found.size} bytes; ${MAX_BYTES} are the most`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function faultOf(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) {
    const first = bytes.toString('utf8').indexOf('\uFFFD');
    return `it is not UTF-8 text; see line ${lineOf(bytes.toString('utf8'), first)}`;
  }
  const nul = bytes.indexOf(0);
  return nul < 0
    ? undefined
    : `there is a NUL byte in line ${lineOf(bytes.toString('utf8', 0, nul), nul)}`;
}

function lineOf(text: string, end: number): number {
  return text.slice(0, end).split('\n').length;
}
