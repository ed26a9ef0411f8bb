import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, isBuilt } from './build.mjs';
import { arePackagesInstalled, installPackages } from './install-packages.mjs';
import { run, say, SetupError } from './steps.mjs';
import { inTurn } from './turn-lock.mjs';

const OLDEST_NODE = [20, 19];
const OLDEST_GIT = [2, 38];
/** The folder of the checkout. */
export const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Makes this checkout ready to run: packages, build and the Temporal program, only what is missing or stale. */
export async function setUp({ server = true, force = false } = {}) {
  checkNode();
  checkGit();
  if (force || !isReady()) {
    const onWait = () => say('Another set-up is at work here; waiting for it');
    await inTurn({ folder: path.join(ROOT, '.cache'), name: 'setup.lock', onWait }, async () => {
      if (!arePackagesInstalled(ROOT)) await installPackages(ROOT);
      if (force || !isBuilt(ROOT)) await build(ROOT);
    });
  }
  return server ? findTemporal() : undefined;
}

function isReady() {
  return arePackagesInstalled(ROOT) && isBuilt(ROOT);
}

function checkNode() {
  if (isAtLeast(process.versions.node, OLDEST_NODE)) return;
  throw new SetupError(
    `Node ${OLDEST_NODE.join('.')} or newer is needed, this is ${process.versions.node}. ` +
      'Get one from https://nodejs.org or with your version manager.',
  );
}

function checkGit() {
  let answer;
  try {
    answer = execFileSync('git', ['--version'], { encoding: 'utf8' });
  } catch {
    throw new SetupError('git is not to be found on PATH; install it from https://git-scm.com.');
  }
  const version = /\d+(\.\d+)+/.exec(answer)?.[0] ?? '0';
  if (!isAtLeast(version, OLDEST_GIT))
    throw new SetupError(`git ${OLDEST_GIT.join('.')} or newer is needed, this is ${version}.`);
}

function isAtLeast(version, [major, minor]) {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

/** It tells on stderr what it does; a failure has been explained there. */
async function findTemporal() {
  const program = path.join(ROOT, 'dist', 'workers', 'server', 'prefetch.js');
  const found = await run(process.execPath, [program], { take: true }).catch(() => {
    throw new SetupError('There is no Temporal program to work with; the reasons are above.');
  });
  return JSON.parse(found);
}
