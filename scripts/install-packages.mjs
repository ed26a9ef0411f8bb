import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, run, say, step } from './steps.mjs';

const ORPHAN_WAIT_MS = 120_000;

/** Whether the packages of the lock file are there, whole. Changes nothing, takes milliseconds. */
export function arePackagesInstalled(root) {
  const { stamp, unfinished } = placesIn(root);
  return !existsSync(unfinished) && read(stamp) === lockSum(root);
}

/** Installs the packages of the lock file. The caller holds the lock of the set-up. */
export async function installPackages(root) {
  const { stamp, unfinished } = placesIn(root);
  if (!existsSync(unfinished) && isInstalledByHand(root)) {
    writeFileSync(stamp, lockSum(root));
    return;
  }
  await orphanGone(unfinished);
  await step('Installing packages (npm ci)', async () => {
    mkdirSync(path.dirname(unfinished), { recursive: true });
    await run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      onStart: (pid) => writeFileSync(unfinished, String(pid)),
    });
    mkdirSync(path.dirname(stamp), { recursive: true });
    writeFileSync(stamp, lockSum(root));
    rmSync(unfinished);
  });
}

function placesIn(root) {
  return {
    lock: path.join(root, 'package-lock.json'),
    stamp: path.join(root, 'node_modules', '.wiggum-installed'),
    // Stands while npm works: what a killed npm leaves behind is never taken for whole.
    unfinished: path.join(root, '.cache', 'installing'),
  };
}

function lockSum(root) {
  return createHash('sha256')
    .update(readFileSync(placesIn(root).lock))
    .digest('hex');
}

/** npm keeps its own record of what it installed; an optional package may be for another system. */
function isInstalledByHand(root) {
  const record = read(path.join(root, 'node_modules', '.package-lock.json'));
  if (record === undefined) return false;
  const wanted = JSON.parse(readFileSync(placesIn(root).lock, 'utf8')).packages;
  const have = JSON.parse(record).packages;
  return Object.entries(wanted)
    .filter(([place]) => place !== '')
    .every(([place, { version, optional }]) =>
      have[place]
        ? have[place].version === version && existsSync(path.join(root, place, 'package.json'))
        : optional,
    );
}

/** A set-up that was killed may leave an npm behind that still writes. */
async function orphanGone(unfinished) {
  const pid = Number(read(unfinished) ?? 0);
  if (!pid || !isRunning(pid)) return;
  say(`An earlier npm (process ${pid}) is still at work; waiting for it`);
  for (let waited = 0; isRunning(pid) && waited < ORPHAN_WAIT_MS; waited += 200) await sleep(200);
}

function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
