import path from 'node:path';
import { readLedger, type LedgerEntry } from '../../client/demo-ledger.ts';
import { startWiggum, type Ended, type Running } from './wiggum.ts';
import { makeRepository, type TestProject } from './with-repository.ts';
import { withTemporal } from './with-temporal.ts';
import { ONE_STEP } from './with-world.ts';

/** A repository in which the built program is used, as a person does it. */
export interface CommandLine {
  repository: TestProject;
  /** Runs `wiggum …` to its end. */
  run: (...words: string[]) => Promise<Ended>;
  /** Starts `wiggum …`; what still runs at the end of the test is killed. */
  start(...words: string[]): Running;
  ledger(): Promise<LedgerEntry[]>;
}

/** Makes a repository with a board and a scenario, and leads commands to the server of the tests. */
export async function withCommandLine(
  plan: { board: string; script: string },
  use: (line: CommandLine) => Promise<void>,
): Promise<void> {
  const repository = await makeRepository();
  const running: Running[] = [];
  try {
    await repository.write({
      '.ralph/kanban.md': `# Board\n\n## TASKS\n\n${plan.board}`,
      '.ralph/pipeline.json': JSON.stringify(ONE_STEP),
      '.ralph/config.json': JSON.stringify({
        runtime: { backend: 'script', script: '../script/scenario.yaml' },
      }),
      '../script/scenario.yaml': `ledger: ../ledger.jsonl\n${plan.script}`,
    });
    await withTemporal(async ({ environment }) => {
      const start = (...words: string[]) => {
        const started = startWiggum(words, { cwd: repository.dir, environment });
        running.push(started);
        return started;
      };
      await use({
        repository,
        start,
        run: (...words) => start(...words).ended,
        ledger: () => readLedger(path.join(repository.dir, '..', 'ledger.jsonl')),
      });
    });
  } finally {
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(running.map(({ ended }) => ended));
    await repository.remove();
  }
}
