import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from './prepare.mjs';
import { say } from './steps.mjs';

const LIMIT_MS = 60 * 60_000;
const GRACE_MS = 5_000;

/** Of our own variables and Temporal's only these reach the tests: they lead to the program. */
const PASSED_ON = ['WIGGUM_TEMPORAL_CLI', 'WIGGUM_TEMPORAL_SOURCES', 'WIGGUM_CACHE_DIR'];

/** Runs Jest within a time limit and counts. Whatever the tests make for themselves is in `folder`. */
export async function runJest({ args, folder }) {
  const report = path.join(folder, 'report.json');
  const jest = spawn(
    process.execPath,
    [
      path.join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js'),
      ...['--maxWorkers=2', '--json', `--outputFile=${report}`],
      ...args,
    ],
    {
      cwd: ROOT,
      env: testEnvironment(folder),
      // A group of its own, so that all of it can be ended.
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const end = (signal) => process.kill(-jest.pid, signal);
  const limit = setTimeout(() => {
    say(`The tests did not end within ${LIMIT_MS / 60_000} minutes; they are stopped`);
    end('SIGTERM');
    setTimeout(() => end('SIGKILL'), GRACE_MS).unref();
  }, LIMIT_MS);
  const interrupt = () => end('SIGINT');
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const code = await new Promise((resolve) => jest.once('close', resolve));
  clearTimeout(limit);
  return outcomeOf(report, code);
}

/** A file that cannot even be loaded counts as one failed test; so does a Jest that breaks off. */
function outcomeOf(report, code) {
  if (!fs.existsSync(report)) return { passed: 0, failed: code === 0 ? 0 : 1, skipped: 0 };
  const result = JSON.parse(fs.readFileSync(report, 'utf8'));
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  return {
    passed: result.numPassedTests,
    failed: code === 0 ? failed : Math.max(1, failed),
    skipped: result.numPendingTests + result.numTodoTests,
  };
}

function testEnvironment(folder) {
  const kept = Object.entries(process.env).filter(
    ([name]) => PASSED_ON.includes(name) || !/^(WIGGUM|TEMPORAL|GIT|NODE)_/.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
    TMPDIR: folder,
    WIGGUM_STATE_DIR: path.join(folder, 'state'),
  };
}
