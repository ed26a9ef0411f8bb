import { open, readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';

export interface LogLine {
  /** Path below the folder of the logs. */
  file: string;
  line: string;
}

/** Longer lines are cut: nothing here may grow with what an agent prints. */
const MAX_LINE_BYTES = 1 << 20;
const CHUNK_BYTES = 1 << 16;

interface Position {
  offset: number;
  /** Bytes of a line whose end has not come yet. */
  rest: Buffer;
}

/** Reads all logs of a folder in the order in which they were begun; each line once. */
export class LogReader {
  private readonly positions = new Map<string, Position>();
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** The lines that have come since the last call; `flush` also gives a line without an end. */
  async *read({ flush = false } = {}): AsyncGenerator<LogLine> {
    for (const file of await logFiles(this.folder)) {
      const position = this.positions.get(file) ?? { offset: 0, rest: Buffer.alloc(0) };
      this.positions.set(file, position);
      const name = relative(this.folder, file);
      for await (const line of newLines(file, position)) yield { file: name, line };
      if (!flush || position.rest.length === 0) continue;
      yield { file: name, line: position.rest.toString('utf8') };
      position.rest = Buffer.alloc(0);
    }
  }
}

async function* newLines(file: string, position: Position): AsyncGenerator<string> {
  const handle = await open(file, 'r');
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, position.offset);
      if (bytesRead === 0) return;
      position.offset += bytesRead;
      let from = 0;
      for (;;) {
        const end = chunk.subarray(0, bytesRead).indexOf('\n', from);
        const part = chunk.subarray(from, end === -1 ? bytesRead : end);
        const room = Math.max(0, MAX_LINE_BYTES - position.rest.length);
        position.rest = Buffer.concat([position.rest, part.subarray(0, room)]);
        if (end === -1) break;
        yield position.rest.toString('utf8').replace(/\r$/, '');
        position.rest = Buffer.alloc(0);
        from = end + 1;
      }
    }
  } finally {
    await handle.close();
  }
}

async function logFiles(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return [];
      throw cause;
    },
  );
  const files = await Promise.all(
    found
      // Agents can write here: a link or a pipe of theirs is not followed.
      .filter((entry) => entry.isFile() && /\.(log|jsonl)$/.test(entry.name))
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        const { birthtimeMs, mtimeMs } = await stat(path);
        return { path, begun: birthtimeMs || mtimeMs };
      }),
  );
  return files
    .sort((a, b) => a.begun - b.begun || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path);
}
