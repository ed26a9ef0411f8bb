import { open, type FileHandle } from 'node:fs/promises';

/** Longer lines are dropped: no honest event is that long, and memory must not follow the agent. */
export const LINE_CAP_BYTES = 1 << 20;
const CHUNK_BYTES = 1 << 16;
const NEWLINE = 0x0a;

export type Line = { kind: 'line'; text: string } | { kind: 'dropped'; bytes: number };

/** The object that a line of JSON holds; undefined when it holds none. */
export function parseJsonLine(line: string): unknown {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Cuts bytes into lines before it decodes them, so that no character is ever cut in two. */
export class LineSplitter {
  private parts: Buffer[] = [];
  private length = 0;
  private readonly capBytes: number;

  constructor(capBytes = LINE_CAP_BYTES) {
    this.capBytes = capBytes;
  }

  /** Takes the next bytes and gives the lines that they complete. */
  push(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.keep(chunk.subarray(from, at));
      lines.push(this.take());
      from = at + 1;
    }
    this.keep(chunk.subarray(from));
    return lines;
  }

  /** Gives what stands after the last line end, when there is anything. */
  flush(): Line[] {
    return this.length === 0 ? [] : [this.take()];
  }

  private keep(bytes: Buffer): void {
    this.length += bytes.length;
    if (this.length > this.capBytes) this.parts = [];
    // A copy: the reader uses its buffer again.
    else if (bytes.length > 0) this.parts.push(Buffer.from(bytes));
  }

  private take(): Line {
    const { parts, length } = this;
    this.parts = [];
    this.length = 0;
    if (length > this.capBytes) return { kind: 'dropped', bytes: length };
    return { kind: 'line', text: Buffer.concat(parts).toString('utf8').replace(/\r$/, '') };
  }
}

/** Reads a growing file from where it stopped the last time. */
export class FileFollower {
  private readonly splitter = new LineSplitter();
  private readonly buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  private offset = 0;
  private readonly handle: FileHandle;

  private constructor(handle: FileHandle) {
    this.handle = handle;
  }

  static async open(file: string): Promise<FileFollower> {
    return new FileFollower(await open(file, 'r'));
  }

  /** Hands on the lines that were added, at most `maxBytes` of them; tells whether the end was reached. */
  async read(onLine: (line: Line) => void, maxBytes = Infinity): Promise<boolean> {
    for (let taken = 0; taken < maxBytes;) {
      const { bytesRead } = await this.handle.read(this.buffer, 0, CHUNK_BYTES, this.offset);
      if (bytesRead === 0) return true;
      this.offset += bytesRead;
      taken += bytesRead;
      this.splitter.push(this.buffer.subarray(0, bytesRead)).forEach(onLine);
    }
    return false;
  }

  /** Hands on the rest, also a last line without an end, and closes the file. */
  async finish(onLine: (line: Line) => void): Promise<void> {
    try {
      await this.read(onLine);
      this.splitter.flush().forEach(onLine);
    } finally {
      await this.handle.close();
    }
  }
}
