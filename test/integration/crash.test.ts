import { readdir } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { ApplicationFailure, type Client } from '@temporalio/client';
import { readLease, type Lease } from '../../activities/agent/attempt-records.ts';
import { judgeCrash, readLedger } from '../../client/demo-ledger.ts';
import { ledgerAfter, pidsInOrder, talksForAWhile } from '../helpers/a-talker.ts';
import { startWiggum, type Running } from '../helpers/wiggum.ts';
import { makeRepository } from '../helpers/with-repository.ts';
import { withTemporal } from '../helpers/with-temporal.ts';
import { eventually, task } from '../helpers/with-world.ts';

const SCRIPT = `ledger: ../ledger.jsonl\ntasks:\n${talksForAWhile('AB-1', 'one.txt')}`;
const WORDS = ['run', '--auto-merge', '--script', '../script/scenario.yaml'];

it('goes on in the same session and workspace after kill -9 of the host, when its agent is dead (#64)', async () => {
  const repository = await makeRepository();
  const hosts: Running[] = [];
  let keeper: number | undefined;
  try {
    await repository.write({
      '.ralph/kanban.md': `# Board\n\n## TASKS\n\n${task('AB-1', 'First')}`,
      '../script/scenario.yaml': SCRIPT,
    });
    await withTemporal(async ({ client, environment }) => {
      const ledger = `${repository.dir}/../ledger.jsonl`;
      const run = () => {
        const host = startWiggum(WORDS, { cwd: repository.dir, environment });
        hosts.push(host);
        return host;
      };
      const first = run();
      const { pid, key } = await eventually(async () => {
        if (first.child.exitCode !== null) throw new Error(first.stderr());
        return (await readLedger(ledger)).find(({ action }) => action === 'run');
      }, 'the agent at work');

      // A keeper that hangs ends nobody: the agent outlives its host, and goes on working.
      const lease = await onlyLease(`${repository.dir}/.ralph/workers`);
      keeper = lease.keeper?.pid ?? 0;
      process.kill(keeper, 'SIGSTOP');
      first.child.kill('SIGKILL');
      await first.ended;
      const second = run();
      await giveUp(client, lease);
      await eventually(async () => {
        if (second.child.exitCode !== null) throw new Error(second.stderr());
        return (await isAskedAgain(client, lease)) || undefined;
      }, 'the second attempt');
      expect(pidsInOrder(await ledgerAfter(ledger, { actions: 4 }), key)).toEqual([pid]);

      process.kill(keeper, 'SIGCONT');
      await eventually(
        async () => (await readLedger(ledger)).find(({ event }) => event === 'resume'),
        'the agent that goes on',
      );
      await repository.write({ '../go': '' });

      expect(await second.ended).toMatchObject({ code: 0 });
      const entries = await readLedger(ledger);
      const last = entries.findLast((entry) => entry.pid === pid);
      if (!last) throw new Error('the ledger has forgotten the first agent');
      expect(judgeCrash(entries, last).filter(({ ok }) => !ok)).toEqual([]);
      // One after the other: once the second has spoken, nothing of the first is heard.
      expect(pidsInOrder(entries, key)).toEqual([pid, expect.any(Number)]);
      expect(await repository.git(['show', 'main:one.txt'])).toBe('AB-1\nmore');
      expect(await repository.git(['log', '--format=%s', 'main'])).toBe('AB-1: First\nFirst');
    });
  } finally {
    if (keeper) letGo(keeper);
    for (const { child } of hosts) child.kill('SIGKILL');
    await Promise.all(hosts.map(({ ended }) => ended));
    await repository.remove();
  }
}, 90_000);

async function onlyLease(workers: string): Promise<Lease> {
  const names = await readdir(workers, { recursive: true });
  const attempts = names.filter((name) => /\/leases\/[^/]+\/attempt-\d+$/.test(name));
  expect(attempts).toHaveLength(1);
  const lease = await readLease(`${workers}/${attempts[0]}`);
  if (!lease) throw new Error('the attempt has no lease');
  return lease;
}

/** What the server does by itself when it has heard nothing for as long as the heartbeat time-out. */
function giveUp(client: Client, { workflowId, runId, activityId }: Lease): Promise<void> {
  return client.activity.fail(
    { workflowId, runId, activityId },
    ApplicationFailure.retryable('given up by the test'),
  );
}

async function isAskedAgain(client: Client, { workflowId, runId }: Lease): Promise<boolean> {
  const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
  const [pending] = raw.pendingActivities ?? [];
  return pending?.attempt === 2 && Boolean(pending.lastStartedTime);
}

function letGo(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // It has ended, as it should.
  }
}
