import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findTemporal } from '../../workers/server/find-program.ts';
import { freePort } from '../../workers/server/ports.ts';
import { openProbe } from '../../workers/server/probe.ts';
import { serverArguments } from '../../workers/server/server-arguments.ts';
import { cacheDir } from '../../workers/server/cache-dir.ts';

// A program of its own: runs a Temporal server, with the settings that users get, until its stdin
// ends. So the server of the tests ends with Jest, also when Jest is killed.
const HEALTHY_WITHIN_MS = 30_000;

const found = await findTemporal({
  environment: process.env,
  cacheDir: cacheDir(process.env),
  log: (sentence) => process.stderr.write(`${sentence}\n`),
});
const folder = await mkdtemp(path.join(os.tmpdir(), 'wiggum-server-'));
const port = await freePort();
const server = spawn(
  found.path,
  serverArguments({ port, databaseFile: path.join(folder, 'temporal.db') }),
  { stdio: ['ignore', 'ignore', 'inherit'] },
);
const ended = once(server, 'exit');

process.once('exit', () => server.kill('SIGKILL'));
process.stdin.resume().once('end', () => server.kill('SIGKILL'));
void ended.then(async () => {
  await rm(folder, { recursive: true, force: true });
  process.exit();
});

const address = `127.0.0.1:${port}`;
const probe = openProbe({ address });
for (const deadline = Date.now() + HEALTHY_WITHIN_MS; !(await probe.answers()); await sleep(50))
  if (Date.now() > deadline) throw new Error(`the server at ${address} does not answer`);
await probe.close();
process.stdout.write(`${address}\n`);
