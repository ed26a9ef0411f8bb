// What the keeper knows of other processes. Plain JavaScript, Node's own modules only: the keeper
// must be up before the agent is, and it must not fall with anything that is installed later.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** @typedef {{pid: number, parent: number, group: number, session: number, startTicks: string}} Row */
/** @typedef {{pid: number, startTicks: string, bootId: string}} Identity */
/** @typedef {{agent: Identity | undefined, marker: string}} Tree what belongs to one attempt */

/** Environment variable that every process of an attempt inherits. */
export const MARKER_NAME = 'WIGGUM_ATTEMPT';
const LOOK_EVERY_MS = 50;
const GIVE_UP_AFTER_MS = 15_000;
const onLinux = process.platform === 'linux';

/** Tells who has a process number now; undefined when nobody does.
 * @param {number} pid
 * @returns {Identity | undefined} */
export function identityOf(pid) {
  const row = onLinux ? linuxRow(pid) : processTable().find((each) => each.pid === pid);
  return row && { pid, startTicks: row.startTicks, bootId: bootId() };
}

/** Ends every process of an attempt: politely, then by force; returns the numbers of those that stay.
 * @param {Tree} tree
 * @param {number} graceMs
 * @returns {Promise<number[]>} */
export async function endTree(tree, graceMs) {
  const begun = performance.now();
  let members = treeMembers(tree);
  if (members.length === 0) return [];
  signalAll(tree, members, 'SIGTERM');
  while (performance.now() - begun < graceMs) {
    await pause(LOOK_EVERY_MS);
    members = treeMembers(tree);
    if (members.length === 0) break;
  }
  // Two empty looks in a row: a process that forked during the first is seen by the second.
  let emptyLooks = 0;
  while (emptyLooks < 2 && performance.now() - begun < graceMs + GIVE_UP_AFTER_MS) {
    members = treeMembers(tree);
    emptyLooks = members.length === 0 ? emptyLooks + 1 : 0;
    signalAll(tree, members, 'SIGKILL');
    await pause(LOOK_EVERY_MS / 5);
  }
  return treeMembers(tree).map((row) => row.pid);
}

/** The living processes of an attempt: its group, its session, all that carry the marker, and their children.
 * @param {Tree} tree
 * @returns {Row[]} */
export function treeMembers({ agent, marker }) {
  const rows = processTable();
  const known = agent && agent.bootId === bootId() && !isReused(agent, rows) ? agent.pid : -1;
  const carriers = markerCarriers(rows, marker);
  const found = new Set(
    rows
      .filter((row) => row.group === known || row.session === known || carriers.has(row.pid))
      .map((row) => row.pid),
  );
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const row of rows) if (found.has(row.parent)) found.add(row.pid);
  }
  found.delete(process.pid);
  return rows.filter((row) => found.has(row.pid));
}

// A number that begins a new process is not ours any more, nor is the group of that name.
function isReused(agent, rows) {
  const now = rows.find((row) => row.pid === agent.pid);
  return now !== undefined && now.startTicks !== agent.startTicks;
}

function signalAll({ agent }, members, signal) {
  // A group is only signalled while one of its members was seen to be ours.
  if (agent && members.some((row) => row.group === agent.pid)) send(-agent.pid, signal);
  for (const row of members)
    if (identityOf(row.pid)?.startTicks === row.startTicks) send(row.pid, signal);
}

function send(target, signal) {
  try {
    process.kill(target, signal);
  } catch (cause) {
    if (cause.code !== 'ESRCH' && cause.code !== 'EPERM') throw cause;
  }
}

let knownBootId;

function bootId() {
  knownBootId ??= onLinux
    ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    : (/sec = (\d+)/.exec(
        execFileSync('sysctl', ['-n', 'kern.boottime'], { encoding: 'utf8' }),
      )?.[1] ?? '');
  return knownBootId;
}

/** @returns {Row[]} all living processes; zombies are not */
function processTable() {
  if (!onLinux) return tableFromPs();
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => linuxRow(Number(name)))
    .filter((row) => row !== undefined);
}

function linuxRow(pid) {
  const stat = readOrNothing(`/proc/${pid}/stat`)?.toString('latin1');
  if (!stat) return undefined;
  // The name in brackets may itself hold blanks and brackets; the fields begin after the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  const [parent, group, session] = fields.slice(1, 4).map(Number);
  return { pid, parent, group, session, startTicks: fields[19] };
}

function markerCarriers(rows, marker) {
  const entry = `${MARKER_NAME}=${marker}`;
  if (!onLinux) return carriersFromPs(entry);
  const carries = (row) =>
    readOrNothing(`/proc/${row.pid}/environ`)?.toString('latin1').split('\0').includes(entry);
  return new Set(rows.filter(carries).map((row) => row.pid));
}

// Processes of other people are closed to us, and any process may go while we read.
function readOrNothing(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

// `ps` must not carry the marker itself, or it would find itself.
const psOptions = {
  encoding: 'utf8',
  env: { PATH: process.env.PATH, LC_ALL: 'C' },
  maxBuffer: 1 << 26,
};

function tableFromPs() {
  const columns = 'pid=,ppid=,pgid=,state=,lstart=';
  return execFileSync('ps', ['-axo', columns], psOptions)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((words) => words.length > 4 && !words[3].startsWith('Z'))
    .map(([pid, parent, group, , ...start]) => ({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: -2,
      startTicks: start.join(' '),
    }));
}

function carriersFromPs(entry) {
  return new Set(
    execFileSync('ps', ['-axEww', '-o', 'pid=,command='], psOptions)
      .split('\n')
      .filter((line) => line.split(/\s+/).includes(entry))
      .map((line) => Number.parseInt(line, 10)),
  );
}
