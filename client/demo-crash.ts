import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLedger, type LedgerEntry } from './demo-ledger.ts';
import type { DemoProject } from './demo-project.ts';

const LOOK_EVERY_MS = 50;
const GONE_WITHIN_MS = 15_000;

/** Kills the host with SIGKILL while an agent is in the middle of its work; returns what it was doing. */
export async function killInTheMiddle(
  project: DemoProject,
  host: ChildProcess,
  { signal, say }: { signal: AbortSignal; say: (text: string) => void },
): Promise<LedgerEntry | undefined> {
  const victim = await waitForVictim(project, host, signal);
  if (!victim) return undefined;
  host.kill('SIGKILL');
  const killedAt = performance.now();
  while (isAlive(victim.pid) && performance.now() - killedAt < GONE_WITHIN_MS)
    await sleep(LOOK_EVERY_MS);
  const after = ((performance.now() - killedAt) / 1000).toFixed(1);
  const agent = isAlive(victim.pid)
    ? `agent ${victim.pid} still runs`
    : `agent ${victim.pid} was gone ${after} s later`;
  say(
    [
      '',
      `✗ kill -9 of the host (process ${host.pid}) while ${victim.task} was in "${victim.step}", action ${victim.number}.`,
      `  Its ${agent}. Session ${victim.session.slice(0, 8)} and its workspace are kept.`,
      '  The same command again:',
      '',
    ].join('\n'),
  );
  return victim;
}

/** The long pause of the first task: half of its edits are made, half are still to come. */
async function waitForVictim(
  { ledger }: DemoProject,
  host: ChildProcess,
  signal: AbortSignal,
): Promise<LedgerEntry | undefined> {
  while (host.exitCode === null && !signal.aborted) {
    const entries = await readLedger(ledger);
    const found = entries.find(
      ({ task, step, action, number }) =>
        task === 'NOTE-1' && step === 'execution' && action === 'wait' && (number ?? 0) > 3,
    );
    if (found) return found;
    await sleep(LOOK_EVERY_MS);
  }
  return undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
