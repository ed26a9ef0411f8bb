import { expect, it } from '@jest/globals';
import type { WorkerView } from '../../client/inspect/worker-view.ts';
import { task } from '../helpers/with-world.ts';
import { withCommandLine, type CommandLine } from '../helpers/with-command-line.ts';
import { eventually } from '../helpers/with-world.ts';

const SCRIPT = `
tasks:
  AB-1:
    execution:
      - iterations:
          - - write: { path: one.txt, content: "a\\n" }
            - cost: 0.25
            - wait_for: '{{project_dir}}/../go-on'
            - tick_prd: all
            - result: PASS
`;

it('tells of a task run where it stands and what it was started with, at work and at its end (#4, #98)', async () => {
  await withCommandLine({ board: task('AB-1', 'Change a file'), script: SCRIPT }, async (line) => {
    const run = line.start('run', '--plan', '--auto-merge');
    const working = await eventually(async () => {
      const view = await lookInto(line);
      return view.sessionId === undefined ? undefined : view;
    }, 'an agent at work');
    expect(working).toMatchObject({
      source: 'workflow',
      standing: { state: 'running', marker: '=', step: 'execution', visit: 1, iteration: 0 },
      settings: { backend: 'script', autoMerge: true, environment: { WIGGUM_PLAN_MODE: 'true' } },
    });
    expect(working.events.map(({ event }) => event)).toContain('step.started');

    await line.repository.write({ '../go-on': '' });
    await run.ended;
    const ended = await lookInto(line);
    expect(ended).toMatchObject({
      source: 'files',
      standing: { state: 'done', marker: 'x' },
      last: { step: 'execution', result: 'PASS' },
      end: { result: 'PASS', errors: [] },
      sessionId: working.sessionId,
      usage: { costUsd: 0.25 },
      settings: { environment: { WIGGUM_PLAN_MODE: 'true' } },
    });
    expect(ended.events.at(-1)).toMatchObject({ event: 'task.completed', result: 'PASS' });
    const { stdout } = await line.run('status');
    expect(stdout).toMatch(/^total: \d+ turns · .* · \$0\.25$/m);
  });
});

async function lookInto(line: CommandLine): Promise<WorkerView> {
  const { stdout } = await line.run('inspect', 'worker', 'ab-1', '--json');
  return JSON.parse(stdout) as WorkerView;
}
