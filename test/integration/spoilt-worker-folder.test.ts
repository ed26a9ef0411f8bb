import { expect, it } from '@jest/globals';
import { writes } from '../helpers/scripts.ts';
import { task, withWorld } from '../helpers/with-world.ts';

const spoils = (id: string, command: string) => `  ${id}:
    execution:
      - - run: ${JSON.stringify(command)}
        - tick_prd: all
        - result: PASS
`;
const SCRIPT = `tasks:
${spoils('AB-1', 'rm -rf {{worker_dir}}/results; echo x > {{worker_dir}}/results')}${spoils(
  'AB-2',
  'cd {{worker_dir}}; rm -rf checkpoints results; echo x > checkpoints; mkdir -p gate_result failure.md',
)}${writes('AB-3', 'three.txt')}`;

it('fails a task whose agent spoils its worker folder, with a reason, and goes on (#40, #119)', async () => {
  const board = task('AB-1', 'Spoils') + task('AB-2', 'Spoils more') + task('AB-3', 'Other');
  await withWorld({ board, script: SCRIPT }, async (world) => {
    const view = await world.sweep();
    expect(await world.markers()).toEqual({ 'AB-1': '*', 'AB-2': '*', 'AB-3': 'x' });
    const [first, second] = view.tasks;
    expect(first?.why).toContain(`a file in the way`);
    expect(first?.why).toContain(`(${first?.workerDir}/results)`);
    expect(second?.why).toContain(`(${second?.workerDir}/checkpoints)`);
    // Not even its reason file can be written.
    expect(second?.why).toContain('its reason file could not be written');
  });
});
