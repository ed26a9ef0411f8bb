import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { run, SetupError, step } from './steps.mjs';

const FOLDERS = ['workflows', 'activities', 'workers', 'client', 'config'];
const FILES = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'scripts/build.mjs'];

/** Whether dist/ was built from exactly these sources. Changes nothing, takes milliseconds. */
export function isBuilt(root) {
  const stamp = stampIn(path.join(root, 'dist'));
  return fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === sumOfSources(root);
}

/**
 * Compiles the program and bundles the workflows, beside the old build; the change from old to new is
 * two renames, so a killed or failed build leaves the old one. The caller holds the lock.
 */
export async function build(root) {
  const sum = sumOfSources(root);
  const fresh = path.join(root, `dist.${process.pid}.new`);
  for (const name of fs.readdirSync(root))
    if (/^dist\.\d+\.(new|old)$/.test(name))
      fs.rmSync(path.join(root, name), { recursive: true, force: true });
  await step('Building', async () => {
    const halves = [compile(root, fresh), bundle(root, fresh)];
    // Both to their end: the compiler tells more about a mistake than the bundler.
    for (const half of await Promise.allSettled(halves))
      if (half.status === 'rejected') throw half.reason;
    fs.writeFileSync(stampIn(fresh), sum);
    putInPlace(root, fresh);
  }).finally(() => fs.rmSync(fresh, { recursive: true, force: true }));
}

async function compile(root, outDir) {
  const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [compiler, '-p', 'tsconfig.build.json', '--outDir', outDir];
  await run(process.execPath, args, { cwd: root }).catch((cause) => {
    throw new SetupError('The sources do not compile; the errors are above.', { cause });
  });
}

/**
 * Bundles the workflows of a build that is stale otherwise, for tests that were started by hand: the
 * stamp goes, so that the next set-up builds the rest.
 */
export async function renewBundle(root) {
  const dist = path.join(root, 'dist');
  fs.rmSync(stampIn(dist), { force: true });
  await bundle(root, dist);
}

/** Names the one prepared file that workers load instead of bundling at each start, which takes seconds. */
export function bundleIn(dist) {
  return path.join(dist, 'workflow-bundle.js');
}

async function bundle(root, dist) {
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const workflowsPath = path.join(root, 'workflows', 'index.ts');
  const logger = new DefaultLogger('ERROR');
  const { code } = await bundleWorkflowCode({ workflowsPath, logger }).catch((cause) => {
    throw new SetupError(`The workflows cannot be bundled: ${cause.message}`, { cause });
  });
  const beside = `${bundleIn(dist)}.${process.pid}`;
  fs.mkdirSync(dist, { recursive: true });
  fs.writeFileSync(beside, code);
  fs.renameSync(beside, bundleIn(dist));
}

function putInPlace(root, fresh) {
  const dist = path.join(root, 'dist');
  const old = path.join(root, `dist.${process.pid}.old`);
  if (fs.existsSync(dist)) fs.renameSync(dist, old);
  fs.renameSync(fresh, dist);
  fs.rmSync(old, { recursive: true, force: true });
}

function stampIn(folder) {
  return path.join(folder, '.built-from');
}

function sumOfSources(root) {
  const sum = createHash('sha256');
  for (const file of [...FOLDERS.flatMap((folder) => sourcesIn(root, folder)), ...FILES])
    sum
      .update(`${file}\0`)
      .update(fs.readFileSync(path.join(root, file)))
      .update('\0');
  return sum.digest('hex');
}

function sourcesIn(root, folder) {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(folder, name))
    .sort();
}
