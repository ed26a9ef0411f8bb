import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from './steps.mjs';

const LOOK_EVERY_MS = 100;
const BEAT_EVERY_MS = 1_000;
const SILENT_IS_DEAD_MS = 15_000;

/**
 * Does some work while no other process does work under the same name. A holder that was killed is
 * found out: its number is gone, or its file is not touched any more.
 *
 * The lock is a row of files `<name>.<generation>` of which the highest tells the holder. It is never
 * removed, only followed by the next, which the file system grants to one process alone.
 */
export async function inTurn({ folder, name, onWait }, work) {
  fs.mkdirSync(folder, { recursive: true });
  const file = await takeTurn({ folder, name, onWait });
  const beat = setInterval(() => {
    const now = new Date();
    fs.utimesSync(file, now, now);
  }, BEAT_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    replace(file, { released: true });
  }
}

async function takeTurn({ folder, name, onWait }) {
  const fileOf = (generation) => path.join(folder, `${name}.${generation}`);
  const seen = { file: '', touched: 0, at: 0 };
  let told = false;
  for (;;) {
    const highest = Math.max(0, ...generations(folder, name));
    if (highest > 0 && isHeld(fileOf(highest), seen)) {
      if (!told) onWait();
      told = true;
      await sleep(LOOK_EVERY_MS);
      continue;
    }
    const file = fileOf(highest + 1);
    if (!create(file, { pid: process.pid })) continue;
    const now = generations(folder, name);
    if (Math.max(...now) === highest + 1) {
      for (const old of now.filter((n) => n <= highest)) fs.rmSync(fileOf(old), { force: true });
      return file;
    }
    // Later generations came and cleared ours away before we made it: ours is worth nothing.
    fs.rmSync(file, { force: true });
  }
}

/** `seen` is what the caller saw at its last look: time is measured here, not read from files. */
function isHeld(file, seen) {
  let holder, touched;
  try {
    holder = JSON.parse(fs.readFileSync(file, 'utf8'));
    touched = fs.statSync(file).mtimeMs;
  } catch {
    // Gone meanwhile: a later generation stands there, the next look finds it.
    return false;
  }
  if (holder.released || !isRunning(holder.pid)) return false;
  if (seen.file !== file || seen.touched !== touched)
    Object.assign(seen, { file, touched, at: performance.now() });
  return performance.now() - seen.at < SILENT_IS_DEAD_MS;
}

function generations(folder, name) {
  return fs
    .readdirSync(folder)
    .filter((file) => file.startsWith(`${name}.`))
    .map((file) => file.slice(name.length + 1))
    .filter((rest) => /^\d+$/.test(rest))
    .map(Number);
}

/** A link appears with its whole content, and only where nothing stands. */
function create(file, content) {
  const beside = `${file}.${randomUUID()}`;
  fs.writeFileSync(beside, JSON.stringify(content));
  try {
    fs.linkSync(beside, file);
    return true;
  } catch (cause) {
    if (cause.code === 'EEXIST') return false;
    throw cause;
  } finally {
    fs.rmSync(beside, { force: true });
  }
}

function replace(file, content) {
  const beside = `${file}.${randomUUID()}`;
  fs.writeFileSync(beside, JSON.stringify(content));
  fs.renameSync(beside, file);
}
