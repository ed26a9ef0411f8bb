import { expect, it } from '@jest/globals';
import { task, withWorld } from '../helpers/with-world.ts';

const SCRIPT = `tasks:
  AB-1:
    execution:
      - - write: { path: app.txt, content: "eval(input)\\n" }
        - tick_prd: all
        - result: PASS
    audit:
      - - write: { path: note-of-the-auditor.txt, content: "must vanish\\n" }
        - append: { path: app.txt, content: "must vanish too\\n" }
        - report: app.txt:1 evaluates what a stranger typed.
        - result: FIX
      - - result: PASS
    audit-fix:
      - - write: { path: app.txt, content: "parse(input)\\n" }
        - result: PASS
    validation:
      - - result: FIX
      - - result: PASS
    validation-fix:
      - - append: { path: app.txt, content: "checked\\n" }
        - result: PASS
`;

it('repairs a finding in a loop, undoes what readonly steps did, and jumps as told (#49, #62)', async () => {
  const plan = { board: task('AB-1', 'Parse'), script: SCRIPT, pipeline: 'default' as const };
  await withWorld(plan, async (world) => {
    const view = await world.sweep();
    const road = view.tasks[0]?.steps?.map(
      ({ step, result, visit }) => `${step}#${visit} ${result}`,
    );
    expect(road).toEqual([
      'execution#1 PASS',
      'summary#1 PASS',
      'audit#1 FIX',
      'audit-fix#1 PASS',
      'audit#2 PASS',
      'test#1 PASS',
      'docs#1 PASS',
      'validation#1 FIX',
      'validation-fix#1 PASS',
      'test#2 PASS',
      'docs#2 PASS',
      'validation#2 PASS',
    ]);
    expect(await world.repository.git(['show', 'main:app.txt'])).toBe('parse(input)\nchecked');
    expect(await world.repository.git(['ls-tree', '--name-only', 'main'])).not.toContain('note-of');
    expect(await world.markers()).toEqual({ 'AB-1': 'x' });
  });
});
