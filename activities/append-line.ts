import { constants } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/** How far back a line is looked for that may be there already: some thousand lines. */
const TAIL_BYTES = 1 << 20;

/**
 * Adds one whole line to a file; nothing when the last megabyte of it has the text `unless`. To read
 * all of it would make each line dearer than the one before, for as long as a project lives.
 */
export async function appendLine(
  file: string,
  line: string,
  { unless, sync = false }: { unless?: string; sync?: boolean } = {},
): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  // An agent can reach the worker folder, so a link in place of the file is not followed.
  const handle = await open(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o644);
  try {
    const tail = await tailOf(handle, file, unless === undefined ? 1 : TAIL_BYTES);
    if (unless !== undefined && tail.includes(unless)) return;
    // What a full disk cut off must not spoil the next line too.
    const isCutOff = tail.length > 0 && tail.at(-1) !== NEWLINE;
    // One write call at the end of the file: lines of several writers never mix.
    const bytes = Buffer.from(`${isCutOff ? '\n' : ''}${line}\n`);
    const { bytesWritten } = await handle.write(bytes);
    if (bytesWritten < bytes.length) throw new Error(`${file} took only a part of a line.`);
    if (sync) await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Whether the last part of a file has a text; a file that is not there has none. */
export async function hasInTail(file: string, text: string): Promise<boolean> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(
    (cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT') throw cause;
    },
  );
  if (!handle) return false;
  try {
    return (await tailOf(handle, file, TAIL_BYTES)).includes(text);
  } finally {
    await handle.close();
  }
}

const NEWLINE = 0x0a;

async function tailOf(handle: FileHandle, file: string, maxBytes: number): Promise<Buffer> {
  const stats = await handle.stat();
  if (!stats.isFile()) throw new Error(`${file} is not a file.`);
  const length = Math.min(stats.size, maxBytes);
  const { buffer, bytesRead } = await handle.read(
    Buffer.allocUnsafe(length),
    0,
    length,
    stats.size - length,
  );
  return buffer.subarray(0, bytesRead);
}
