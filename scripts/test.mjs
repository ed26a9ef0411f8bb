import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ROOT, setUp } from './prepare.mjs';
import { runJest } from './run-jest.mjs';
import { run, say, SetupError } from './steps.mjs';
import { endLeftovers } from './test-leftovers.mjs';

/*
 * npm test                           set-up, lint, format, types, all Jest projects
 * npm test -- -t '#73'               the tests of one promise of the checklist
 * npm run test:quick                 the unit tests
 * npm run test:filter -- PATTERN     tests of files that match, or `-- -t 'part of a title'`
 * npm run coverage                   the unit tests with a table of what they reach
 *
 * The last line is always `N passed, N failed`; a check that fails counts as one.
 */

const CHECKS = [
  ['lint', ['eslint', 'bin/eslint.js'], ['.', '--max-warnings', '0']],
  ['format', ['prettier', 'bin/prettier.cjs'], ['--check', '--log-level', 'warn', '.']],
  ['types', ['typescript', 'bin/tsc'], ['--noEmit', '-p', 'tsconfig.json']],
];

const args = process.argv.slice(2);
const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'wiggum-tests-')));
// As open as the folder for temporary files is: a test may act as another user.
fs.chmodSync(folder, 0o755);
const count = { passed: 0, failed: 0, skipped: 0 };
try {
  await setUp();
  if (args.length === 0) count.failed += await failedChecks();
  const outcome = await runJest({ args: jestArguments(args), folder });
  for (const kind of ['passed', 'failed', 'skipped']) count[kind] += outcome[kind];
  count.failed += await endLeftovers(folder);
} catch (cause) {
  say(cause instanceof SetupError ? cause.message : cause.stack);
  count.failed += 1;
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
if (count.skipped > 0) console.log(`${count.skipped} skipped`);
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exitCode = count.failed > 0 ? 1 : 0;

async function failedChecks() {
  say(`· ${CHECKS.map(([name]) => name).join(', ')} …`);
  const failed = await Promise.all(
    CHECKS.map(async ([name, [packageName, program], options]) => {
      const file = path.join(ROOT, 'node_modules', packageName, program);
      try {
        await run(process.execPath, [file, ...options], { cwd: ROOT });
        return 0;
      } catch {
        say(`✗ ${name}`);
        return 1;
      }
    }),
  );
  return failed.reduce((sum, one) => sum + one, 0);
}

function jestArguments([kind, ...rest]) {
  switch (kind) {
    case undefined:
      return [];
    case '--filter':
      return rest;
    default:
      if (kind.startsWith('-')) return [kind, ...rest];
      // The option takes every word that follows: it must be the last.
      return [...rest, '--selectProjects', kind];
  }
}
