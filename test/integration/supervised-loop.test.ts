import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { sessionsOf, workerOf } from '../helpers/sessions.ts';
import { ONE_STEP, task, withWorld } from '../helpers/with-world.ts';

const SUPERVISED = {
  name: 'supervised',
  steps: [{ ...ONE_STEP.steps[0], config: { max_iterations: 6, supervisor_interval: 2 } }],
};
const GUIDANCE = 'Look at {{the}} tests first; <WIGGUM_IF_SUPERVISOR> is text here.';

const SCRIPT = `tasks:
  AB-1:
    execution:
      - iterations:
          - - append: { path: one.txt, content: "a\\n" }
            - max_turns: true
          - - max_turns: true
          - - max_turns: true
          - - max_turns: true
          - - tick_prd: all
        supervisor:
          - decision: CONTINUE
            guidance: '${GUIDANCE}'
          - decision: CONTINUE
  AB-2:
    execution:
      - iterations:
          - - append: { path: two.txt, content: "b\\n" }
            - max_turns: true
        supervisor:
          - decision: RESTART
            guidance: Begin with the parser.
          - decision: STOP
            guidance: It runs in circles.
`;

it('is looked at every second iteration, guided, begun anew and stopped by its supervisor (#91, #92, #93, #198, #217)', async () => {
  const board = task('AB-1', 'Work on') + task('AB-2', 'Run in circles');
  await withWorld({ board, script: SCRIPT, pipeline: SUPERVISED }, async (world) => {
    await world.sweep();
    expect(await world.markers()).toEqual({ 'AB-1': 'x', 'AB-2': '*' });

    const guided = await sessionsOf(world, 'AB-1');
    expect(guided.map(({ purpose, iteration }) => `${purpose} ${iteration}`)).toEqual([
      ...['work 0', 'summary 0', 'work 1', 'summary 1', 'supervise 1'],
      ...['work 2', 'summary 2', 'work 3', 'summary 3', 'supervise 3', 'work 4'],
    ]);
    const sessions = new Set(guided.map((session) => session.session_id));
    expect(sessions.size).toBe(5 + 2); // one of each iteration, a fresh one of each look
    const [third, , , , , fifth] = guided.slice(5);
    expect(third?.prompt).toContain(GUIDANCE);
    // The second look had nothing to say.
    expect(fifth?.prompt).not.toContain('tests first');
    const look = guided[4]?.prompt;
    expect(look).toContain('Work on, as the test wants it.'); // the goal
    expect(look).toContain('the scripted actions of iteration 1'); // the latest summary
    expect(look).toContain('Iterations ended: 2 of at most 6'); // the counts

    const circling = await sessionsOf(world, 'AB-2');
    const runs = [...new Set(circling.map((session) => session.run))];
    expect(runs).toHaveLength(2);
    expect(
      circling.map(({ run, purpose, iteration }) => `${runs.indexOf(run)} ${purpose} ${iteration}`),
    ).toEqual([
      ...['0 work 0', '0 summary 0', '0 work 1', '0 summary 1', '0 supervise 1'],
      ...['1 work 0', '1 summary 0', '1 work 1', '1 summary 1', '1 supervise 1'],
    ]);
    expect(circling[5]?.prompt).toContain('Begin with the parser.');
    const worker = await workerOf(world, 'AB-2');
    const reason = await readFile(path.join(worker, 'failure.md'), 'utf8');
    expect(reason).toContain('It runs in circles.');
  });
});
