import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { PINNED_VERSION, pinnedFor } from './pinned.ts';

// Size and time stand for the content: hashing 156 MB at each start would take half a second.
const stampSchema = z.object({
  sha256: z.string(),
  size: z.number(),
  mtimeMs: z.number(),
});
type Stamp = z.infer<typeof stampSchema>;

/** A program to keep: its bytes, or the file that it was built as. */
export type Content = { bytes: Buffer } | { file: string };

/** Names where a version of the program is kept. */
export function cachedProgram(cacheDir: string, version: string): string {
  return path.join(cacheDir, `temporal-${version}`, 'temporal');
}

export type CacheVerdict =
  { kind: 'good' } | { kind: 'missing'; reason: string } | { kind: 'damaged'; reason: string };

/** Tells whether a kept program is whole. A damaged one is removed, so that a new one is brought. */
export async function checkCached(program: string, version: string): Promise<CacheVerdict> {
  const found = await stat(program).catch(() => undefined);
  if (!found) return { kind: 'missing', reason: `${program} is not there` };
  const stamp = await readStamp(program);
  if (stamp?.size === found.size && stamp.mtimeMs === found.mtimeMs) return { kind: 'good' };

  const sum = await sha256OfFile(program);
  const expected = stamp?.sha256 ?? (version === PINNED_VERSION ? pinnedFor()?.sha256 : undefined);
  if (sum === expected) {
    await writeStamp(program, { sha256: sum, size: found.size, mtimeMs: found.mtimeMs });
    return { kind: 'good' };
  }
  await dropCached(program);
  return { kind: 'damaged', reason: `${program} was damaged (sha256 ${sum}); it is removed` };
}

/** Keeps a program: written beside and renamed, so that nobody ever runs half of it. */
export async function keepProgram(program: string, content: Content): Promise<void> {
  await mkdir(path.dirname(program), { recursive: true });
  const beside = `${program}.${randomUUID()}`;
  try {
    if ('bytes' in content) await writeFile(beside, content.bytes);
    else await copyFile(content.file, beside);
    await chmod(beside, 0o755);
    const sha256 = await sha256OfFile(beside);
    const { size, mtimeMs } = await stat(beside);
    // The stamp first: a program without one could not be told from a damaged one.
    await writeStamp(program, { sha256, size, mtimeMs });
    await rename(beside, program);
  } finally {
    await rm(beside, { force: true });
  }
}

/** Throws a kept program away. */
export async function dropCached(program: string): Promise<void> {
  await Promise.all([program, stampOf(program)].map((file) => rm(file, { force: true })));
}

/** Sums up bytes in memory. */
export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function sha256OfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

async function readStamp(program: string): Promise<Stamp | undefined> {
  try {
    return stampSchema.parse(JSON.parse(await readFile(stampOf(program), 'utf8')));
  } catch {
    // No stamp, or half of one: the program is hashed instead.
    return undefined;
  }
}

async function writeStamp(program: string, stamp: Stamp): Promise<void> {
  const beside = `${program}.${randomUUID()}`;
  await writeFile(beside, JSON.stringify(stamp));
  await rename(beside, stampOf(program));
}

function stampOf(program: string): string {
  return `${program}.stamp.json`;
}
