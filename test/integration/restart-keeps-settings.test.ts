import { expect, it } from '@jest/globals';
import { withCommandLine } from '../helpers/with-command-line.ts';
import { ONE_STEP, task } from '../helpers/with-world.ts';

const MINE = {
  name: 'mine',
  steps: [
    { ...ONE_STEP.steps[0], enabled_by: 'WIGGUM_PLAN_MODE' },
    { id: 'gate', agent: 'engineering.generic-fix', max: 3 },
  ],
};
const SCRIPT = 'agents: { gate: [[{ result: FAIL }]] }';

it('begins a task again with the pipeline and the plan mode that it had (#98)', async () => {
  await withCommandLine({ board: task('AB-1', 'Gate'), script: SCRIPT }, async (line) => {
    await line.repository.write({ '.ralph/pipelines/mine.json': JSON.stringify(MINE) });
    const failed = await line.run('run', '--pipeline', 'mine', '--plan');
    expect(failed.stdout).toContain('[*] AB-1');

    const restarted = await line.run('worker', 'restart', 'AB-1', '--json');
    expect(restarted.stderr).toContain('AB-1 keeps the pipeline that it had: mine');
    const roads = (await line.ledger()).filter(({ event }) => event === 'start');
    expect(roads.map(({ step }) => step)).toEqual(['execution', 'gate', 'execution', 'gate']);
  });
});
