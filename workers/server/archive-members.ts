import { promisify } from 'node:util';
import { gunzip, inflateRaw } from 'node:zlib';

const inflate = promisify(inflateRaw);
const unzip = promisify(gunzip);

const ZIP_END = 0x06054b50;
const ZIP_END_SIZE = 22;
const TAR_BLOCK = 512;

/** Takes one file out of a zip archive (a wheel is one). */
export async function zipMember(zip: Buffer, name: string): Promise<Buffer> {
  let end = zip.length - ZIP_END_SIZE;
  while (end >= 0 && zip.readUInt32LE(end) !== ZIP_END) end -= 1;
  if (end < 0) throw new Error('it is not a zip archive');
  let entry = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const nameLength = zip.readUInt16LE(entry + 28);
    if (zip.toString('utf8', entry + 46, entry + 46 + nameLength) === name)
      return zipContent(zip, entry);
    entry += 46 + nameLength + zip.readUInt16LE(entry + 30) + zip.readUInt16LE(entry + 32);
  }
  throw new Error(`it has no member ${name}`);
}

/** Takes one file out of a gzipped tar archive. */
export async function tarMember(archive: Buffer, name: string): Promise<Buffer> {
  const tar = await unzip(archive);
  for (let at = 0; at + TAR_BLOCK <= tar.length && tar[at] !== 0;) {
    const member = text(tar, at, 100).replace(/^\.\//, '');
    const size = Number.parseInt(text(tar, at + 124, 12), 8);
    if (!Number.isSafeInteger(size)) throw new Error('it is not a tar archive');
    const content = tar.subarray(at + TAR_BLOCK, at + TAR_BLOCK + size);
    if (content.length < size) throw new Error('it ends too early');
    if (member === name) return content;
    at += TAR_BLOCK + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
  }
  throw new Error(`it has no member ${name}`);
}

async function zipContent(zip: Buffer, entry: number): Promise<Buffer> {
  const method = zip.readUInt16LE(entry + 10);
  const packedSize = zip.readUInt32LE(entry + 20);
  const local = zip.readUInt32LE(entry + 42);
  // The local header repeats name and extra field, the latter with a length of its own.
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const packed = zip.subarray(start, start + packedSize);
  return method === 0 ? packed : await inflate(packed);
}

function text(buffer: Buffer, start: number, length: number): string {
  return buffer
    .toString('latin1', start, start + length)
    .replace(/\0.*$/s, '')
    .trim();
}
