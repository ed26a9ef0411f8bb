import { expect, it } from '@jest/globals';
import { task, withWorld } from '../helpers/with-world.ts';

const PIPELINE = {
  name: 'documented',
  steps: [
    { id: 'execution', agent: 'engineering.software-engineer', max: 2, commit_after: true },
    { id: 'docs', agent: 'product.documentation-writer', max: 4 },
  ],
};
const SCRIPT = `tasks:
  AB-1:
    execution:
      - - write: { path: one.txt, content: "one\\n" }
        - tick_prd: all
        - result: PASS
    docs:
      - - say: I forgot how to end.
        - forget_result: PASS
  AB-2:
    execution:
      - - write: { path: two.txt, content: "two\\n" }
        - tick_prd: all
        - result: PASS
    docs:
      - - no_result: true
`;

it('asks once for a missing result, and fails a step that never gives one (#81, #82)', async () => {
  const board = task('AB-1', 'Forgets') + task('AB-2', 'Never tells');
  await withWorld({ board, script: SCRIPT, pipeline: PIPELINE }, async (world) => {
    const view = await world.sweep();
    const roads = view.tasks.map(({ steps }) =>
      steps?.map(({ step, result }) => `${step} ${result}`),
    );
    expect(roads[0]).toEqual(['execution PASS', 'docs PASS']);
    expect(roads[1]).toEqual(['execution PASS', 'docs UNKNOWN', 'docs UNKNOWN', 'docs FAIL']);
    expect(view.tasks[1]?.why).toContain('stopped at docs with FAIL: UNKNOWN three times running');
    expect(await world.markers()).toEqual({ 'AB-1': 'x', 'AB-2': '*' });
    const asked = (await world.ledger()).filter(({ key }) => key.includes('ask-result'));
    expect(asked.filter(({ event, task: id }) => event === 'resume' && id === 'AB-1')).toHaveLength(
      1,
    );
  });
});
