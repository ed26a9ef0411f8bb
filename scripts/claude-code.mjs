import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { say, SetupError, step } from './steps.mjs';
import { inTurn } from './turn-lock.mjs';

/** What npm is to bring: the exact version, with the sums of what it may consist of. */
const PACKAGE = path.join(import.meta.dirname, 'claude-code');
const INSTALL_LIMIT_MS = 180_000;

/** The version of Claude Code that our contract tests speak of. */
export const CLAUDE_VERSION = JSON.parse(
  fs.readFileSync(path.join(PACKAGE, 'package.json'), 'utf8'),
).dependencies['@anthropic-ai/claude-code'];

/** Looks for Claude Code at that version: named by CLAUDE, on PATH, in our cache. Undefined when it is not here. */
export function findClaude(cache, environment = process.env) {
  const candidates = [environment.CLAUDE, 'claude', programIn(folderIn(cache))];
  return candidates.filter(Boolean).find((program) => isOurVersion(program, environment));
}

/** Brings Claude Code from npm into our cache, within a time limit; says in a SetupError why it cannot be had. */
export async function installClaude(cache, { limitMs = INSTALL_LIMIT_MS } = {}) {
  const folder = folderIn(cache);
  const onWait = () => say('Claude Code is being installed by another run; waiting for it');
  return inTurn({ folder: cache, name: 'claude-code.lock', onWait }, () => {
    if (isOurVersion(programIn(folder))) return programIn(folder);
    return step(`Installing Claude Code ${CLAUDE_VERSION} for its contract tests`, async () => {
      const beside = `${folder}.new`;
      fs.rmSync(beside, { recursive: true, force: true });
      fs.cpSync(PACKAGE, beside, { recursive: true });
      await npmCi(beside, limitMs);
      if (!isOurVersion(programIn(beside)))
        throw new SetupError('npm was content, but the program does not run on this machine');
      fs.rmSync(folder, { recursive: true, force: true });
      fs.renameSync(beside, folder);
      return programIn(folder);
    });
  });
}

function folderIn(cache) {
  return path.join(cache, `claude-code-${CLAUDE_VERSION}`);
}

function programIn(folder) {
  return path.join(folder, 'node_modules', '.bin', 'claude');
}

function isOurVersion(program, environment = process.env) {
  const { stdout } = spawnSync(program, ['--version'], {
    encoding: 'utf8',
    env: environment,
    timeout: 10_000,
  });
  return stdout?.startsWith(`${CLAUDE_VERSION} `) ?? false;
}

function npmCi(cwd, limitMs) {
  return new Promise((resolve, reject) => {
    const npm = spawn(
      'npm',
      ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1'],
      // A group of its own, so that all of it can be ended.
      { cwd, detached: true, stdio: ['ignore', process.stderr, 'inherit'] },
    );
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      process.kill(-npm.pid, 'SIGKILL');
    }, limitMs);
    npm.once('error', (cause) => {
      clearTimeout(limit);
      reject(new SetupError(`npm: ${cause.message}`));
    });
    npm.once('close', (code) => {
      clearTimeout(limit);
      if (code === 0) resolve();
      else if (isLate) reject(new SetupError(`npm took more than ${limitMs / 1_000} s`));
      else reject(new SetupError(`npm ci ended with code ${code}`));
    });
  });
}
