import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import path from 'node:path';
import { bundleIn, isBuilt, renewBundle } from '../../scripts/build.mjs';
import { ROOT } from '../../scripts/prepare.mjs';

/** Starts, once for all integration tests, a Temporal server on a free port; bundles the workflows. */
export default async function startServer() {
  const [server, bundle] = await Promise.all([start(), bundleWorkflows()]);
  globalThis.wiggumTestServer = server.process;
  process.env.WIGGUM_TEST_ADDRESS = server.address;
  Object.assign(process.env, bundle);
}

/** The process ends the server when it hears nothing more from this one, however this one ends. */
async function start() {
  const child = spawn(
    process.execPath,
    [
      ...['--import', path.join(import.meta.dirname, 'typescript.mjs')],
      path.join(import.meta.dirname, 'server-process.ts'),
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const lines = createInterface({ input: child.stdout });
  const [address] = await Promise.race([once(lines, 'line'), once(child, 'exit')]);
  if (typeof address === 'string') return { process: child, address };
  throw new Error('the Temporal server of the integration tests did not start; why is said above');
}

/** Tests of the server itself need no workflows: a failure is told to those who ask for the bundle. */
async function bundleWorkflows() {
  try {
    if (!isBuilt(ROOT)) await renewBundle(ROOT);
    return { WIGGUM_TEST_BUNDLE: bundleIn(path.join(ROOT, 'dist')) };
  } catch (cause) {
    return { WIGGUM_TEST_BUNDLE_FAILURE: cause.message };
  }
}
