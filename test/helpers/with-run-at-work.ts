import path from 'node:path';
import { readLedger, type LedgerEntry } from '../../client/demo-ledger.ts';
import { writesAfter } from './scripts.ts';
import { startWiggum, type Running } from './wiggum.ts';
import { withOwnServer, type OwnServer } from './with-own-server.ts';
import { makeRepository, type TestProject } from './with-repository.ts';
import { eventually, ONE_STEP, task } from './with-world.ts';

const SCRIPT = `ledger: ../ledger.jsonl
tasks:
${writesAfter('AB-1', 'one.txt', ['wait_for: ../../../../../go', 'append: { path: one.txt, content: "more\\n" }'])}`;

/** `wiggum run` on a server of its own, with one agent in the middle of its work. */
export interface RunAtWork extends Running {
  own: OwnServer;
  /** The server now; fails when it does not run. */
  server: () => Promise<{ address: string; pid: number }>;
  repository: TestProject;
  /** Lets the agent go on. */
  go: () => Promise<void>;
  ledger: () => Promise<LedgerEntry[]>;
}

/** Starts a run, lets a test disturb it once its agent works, and ends everything. */
export async function withRunAtWork(use: (run: RunAtWork) => Promise<void>): Promise<void> {
  await withOwnServer(async (own) => {
    const repository = await makeRepository();
    const ledger = () => readLedger(path.join(repository.dir, '..', 'ledger.jsonl'));
    await repository.write({
      '.ralph/kanban.md': `# Board\n\n## TASKS\n\n${task('AB-1', 'First')}`,
      '.ralph/pipeline.json': JSON.stringify(ONE_STEP),
      '../script/scenario.yaml': SCRIPT,
    });
    const words = ['run', '--auto-merge', '--script', '../script/scenario.yaml'];
    const running = startWiggum(words, { cwd: repository.dir, environment: own.environment });
    const { child, stderr, ended } = running;
    const server = async () => {
      const status = await own.status();
      if (status.kind !== 'running') throw new Error(`the server is ${status.kind}`);
      return status.info;
    };
    try {
      await eventually(async () => {
        if (child.exitCode !== null) throw new Error(stderr());
        return (await ledger()).find(({ action }) => action === 'wait_for');
      }, 'the agent at work');
      const go = () => repository.write({ '../go': '' });
      await use({ ...running, own, server, repository, go, ledger });
    } finally {
      child.kill('SIGKILL');
      await ended;
      await repository.remove();
    }
  });
}
