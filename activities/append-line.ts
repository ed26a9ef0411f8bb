import { randomUUID } from 'node:crypto';
import { constants, lstatSync, renameSync } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/** How far back a line is looked for that may be there already: some thousand lines. */
const TAIL_BYTES = 1 << 20;

/**
 * Adds one whole line to a file; nothing when the last megabyte of it has the text `unless`. To read
 * all of it would make each line dearer than the one before, for as long as a project lives.
 *
 * An agent can reach these files. What stands in the place of one and is none (a link, a folder, a
 * pipe) is neither followed nor waited for: it is put aside under a name that says so, and kept.
 */
export async function appendLine(
  file: string,
  line: string,
  { unless, sync = false }: { unless?: string; sync?: boolean } = {},
): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const handle = await openOwn(file);
  try {
    const tail = await tailOf(handle, unless === undefined ? 1 : TAIL_BYTES);
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
  const handle = await openFile(file, constants.O_RDONLY).catch(unlessGone);
  if (!handle) return false;
  try {
    return (await tailOf(handle, TAIL_BYTES)).includes(text);
  } finally {
    await handle.close();
  }
}

/** Who exchanges a file faster than that wants it to fail. */
const TRIES = 5;

async function openOwn(file: string): Promise<FileHandle> {
  const { O_RDWR, O_APPEND, O_CREAT } = constants;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const handle = await openFile(file, O_RDWR | O_APPEND | O_CREAT);
    if (handle) return handle;
    putAside(file);
  }
  throw new Error(`Something else comes into the place of ${file} again and again.`);
}

/** Opens a file; undefined when something else is in its place. */
async function openFile(file: string, flags: number): Promise<FileHandle | undefined> {
  const { O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(file, flags | O_NOFOLLOW | O_NONBLOCK, 0o644).catch(unlessNoFile);
  if (!handle || (await handle.stat()).isFile()) return handle;
  await handle.close();
  return undefined;
}

function unlessNoFile(cause: NodeJS.ErrnoException): undefined {
  if (!NO_FILE.includes(cause.code ?? '')) throw cause;
}

/** As systems say that it is a link, a folder or a socket. */
const NO_FILE = ['ELOOP', 'EMLINK', 'EISDIR', 'ENXIO', 'EOPNOTSUPP'];

// Another writer may have done it already, and his new file is not to be taken away: so nothing of
// this process comes between the look and the rename. A line of another process that falls into that
// moment is kept beside.
function putAside(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found && !found.isFile()) renameSync(file, `${file}.not-a-file-${randomUUID()}`);
}

function unlessGone(cause: NodeJS.ErrnoException): undefined {
  if (cause.code !== 'ENOENT') throw cause;
}

const NEWLINE = 0x0a;

async function tailOf(handle: FileHandle, maxBytes: number): Promise<Buffer> {
  const { size } = await handle.stat();
  const length = Math.min(size, maxBytes);
  const { buffer, bytesRead } = await handle.read(
    Buffer.allocUnsafe(length),
    0,
    length,
    size - length,
  );
  return buffer.subarray(0, bytesRead);
}
