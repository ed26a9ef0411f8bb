// The keeper: the small process between a worker and an agent. It outlives neither of them by much:
// when the worker dies the pipe on its standard input ends, and the agent is ended with all it started.
//
//   node keeper-main.mjs keep <attempt folder>   runs the agent of job.json, writes end.json
//   node keeper-main.mjs end  <attempt folder>   ends what a keeper that died left behind
import { spawn } from 'node:child_process';
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers';
import { MARKER_NAME, endTree, identityOf } from './keeper-processes.mjs';

const LOOK_AT_OUTPUT_EVERY_MS = 250;
/** What the agent left running after its own end gets this long to go by itself. */
const LEFT_OVER_GRACE_MS = 500;

const [, , order, folder] = process.argv;
const leaseFile = join(folder, 'lease.json');
const lease = readJson(leaseFile);
if (order === 'end') await endLeftOvers();
else keep(readJson(join(folder, 'job.json')));

function keep(job) {
  const startedAt = new Date().toISOString();
  /** The first reason to end is the reason. */
  let reason;
  let agent;
  let timers = [];
  const tree = () => ({ agent: lease.agent, marker: lease.marker });

  // A second order can only shorten the grace: who waits for the workspace does not wait for a time-out.
  let graceMs = Infinity;
  const stop = (why) => {
    reason ??= why;
    const wanted = graceAfter(why, job);
    if (wanted >= graceMs) return;
    graceMs = wanted;
    if (agent) void endTree(tree(), graceMs);
  };
  const finish = async (exit) => {
    timers.forEach(clearInterval);
    const survivors = await endTree(tree(), LEFT_OVER_GRACE_MS);
    rmSync(job.pidFile, { force: true });
    writeEnd({ reason: reason ?? 'exited', ...exit, survivors, startedAt });
    process.exit(0);
  };

  // A full disk must not leave an agent without a keeper.
  process.on('uncaughtException', (cause) => {
    console.error(cause);
    void endTree(tree(), LEFT_OVER_GRACE_MS).finally(() => process.exit(1));
  });
  // The order is one word: why the agent is to end.
  process.stdin.on('data', (order) =>
    stop(String(order).startsWith('stalled') ? 'stalled' : 'stopped'),
  );
  process.stdin.on('error', () => stop('worker-died'));
  process.stdin.on('close', () => stop('worker-died'));
  process.on('SIGTERM', () => stop('stopped'));
  process.on('SIGINT', () => stop('stopped'));
  process.on('SIGHUP', () => stop('stopped'));

  lease.keeper = identityOf(process.pid);
  writeJson(leaseFile, lease);
  // Let an end of the pipe that is there already be heard before anything is started.
  setImmediate(() => setImmediate(begin));

  function begin() {
    if (reason) return void finish({ exitCode: null, signal: null });
    agent = spawn(job.program, job.args, {
      cwd: job.cwd,
      // The environment came to us by inheritance, never by a file: it may hold the model's key.
      env: { ...process.env, [MARKER_NAME]: lease.marker },
      stdio: [
        openSync(job.stdinFile, 'r'),
        openSync(job.stdoutFile, 'a'),
        openSync(job.stderrFile, 'a'),
      ],
      detached: true,
    });
    agent.on('error', (cause) => {
      if (agent.pid !== undefined) return;
      reason = 'not-started';
      void finish({
        exitCode: null,
        signal: null,
        error: { code: cause.code, message: cause.message },
      });
    });
    agent.on('exit', (exitCode, signal) => void finish({ exitCode, signal }));
    if (agent.pid === undefined) return;
    lease.agent = identityOf(agent.pid);
    writeJson(leaseFile, lease);
    writeFileSync(job.pidFile, `${process.pid}\n`);
    timers = [
      setTimeout(() => stop('timeout'), job.timeoutMs),
      setInterval(() => {
        const size = (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
        if (size(job.stdoutFile) + size(job.stderrFile) > job.maxOutputBytes) stop('output-limit');
      }, LOOK_AT_OUTPUT_EVERY_MS),
    ];
  }
}

function graceAfter(why, { graceMs, timeoutGraceMs = graceMs, orphanGraceMs }) {
  if (why === 'timeout') return timeoutGraceMs;
  return why === 'worker-died' ? orphanGraceMs : graceMs;
}

async function endLeftOvers() {
  const survivors = await endTree({ agent: lease.agent, marker: lease.marker }, LEFT_OVER_GRACE_MS);
  // The machine may have been off since: what the agent wrote last tells how long it worked.
  const { startedAt, log } = lease;
  const last = statSync(log, { throwIfNoEntry: false })?.mtime.toISOString();
  const endedAt = last !== undefined && last > startedAt ? last : startedAt;
  writeEnd({ reason: 'keeper-died', exitCode: null, signal: null, survivors, startedAt, endedAt });
}

function writeEnd(end) {
  writeJson(join(folder, 'end.json'), { endedAt: new Date().toISOString(), ...end });
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

// Whole or not at all, also after a power cut: the next attempt believes what it reads here.
function writeJson(file, value) {
  const beside = `${file}.${process.pid}.new`;
  const handle = openSync(beside, 'w', 0o600);
  writeFileSync(handle, `${JSON.stringify(value, null, 2)}\n`);
  fsyncSync(handle);
  closeSync(handle);
  renameSync(beside, file);
  const parent = openSync(dirname(file), 'r');
  fsyncSync(parent);
  closeSync(parent);
}
