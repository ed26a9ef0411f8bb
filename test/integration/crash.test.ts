import { expect, it } from '@jest/globals';
import { judgeCrash, readLedger } from '../../client/demo-ledger.ts';
import { makeRepository } from '../helpers/with-repository.ts';
import { writesAfter } from '../helpers/scripts.ts';
import { startWiggum, wiggum } from '../helpers/wiggum.ts';
import { withTemporal } from '../helpers/with-temporal.ts';
import { eventually, task } from '../helpers/with-world.ts';

const SCRIPT = `ledger: ../ledger.jsonl
tasks:
${writesAfter('AB-1', 'one.txt', ['ignore_sigterm: true', 'wait: 3', 'append: { path: one.txt, content: "more\\n" }'])}`;

it('goes on in the same session and workspace after kill -9 of the host (#64)', async () => {
  const repository = await makeRepository();
  try {
    await repository.write({
      '.ralph/kanban.md': `# Board\n\n## TASKS\n\n${task('AB-1', 'First')}`,
      '../script/scenario.yaml': SCRIPT,
    });
    await withTemporal(async ({ environment }) => {
      const where = { cwd: repository.dir, environment };
      const words = ['run', '--auto-merge', '--script', '../script/scenario.yaml'];
      const ledger = `${repository.dir}/../ledger.jsonl`;
      const first = startWiggum(words, where);
      const victim = await eventually(async () => {
        if (first.child.exitCode !== null) throw new Error(first.stderr());
        return (await readLedger(ledger)).find(({ action }) => action === 'wait');
      }, 'the agent at work');
      first.child.kill('SIGKILL');
      const second = await wiggum(words, where);

      expect(second).toMatchObject({ code: 0 });
      const entries = await readLedger(ledger);
      expect(judgeCrash(entries, victim).filter(({ ok }) => !ok)).toEqual([]);
      // The agent ignores SIGTERM: it was really gone before the next one spoke.
      const turn = entries.filter(({ key }) => key === victim.key);
      const resumed = turn.findIndex(({ event }) => event === 'resume');
      expect(turn.slice(resumed).filter(({ pid }) => pid === victim.pid)).toEqual([]);
      expect(await repository.git(['show', 'main:one.txt'])).toBe('AB-1\nmore');
      expect(await repository.git(['log', '--format=%s', 'main'])).toBe('AB-1: First\nFirst');
    });
  } finally {
    await repository.remove();
  }
});
