import { describe, expect, it } from '@jest/globals';
import { rowOf, shippedAgent, shippedPlan } from '../helpers/shipped-run.ts';

describe('the specialists', () => {
  it.each([
    ['general.domain-expert', 'live readonly', 'PASS', '3/50/300'],
    ['product.system-architect', 'ralph_loop', 'PASS FAIL', '8/50/1200'],
    ['workflow.multi-pr-planner', 'once readonly', 'PASS FAIL', '3/50/900'],
  ])('include %s (#200)', async (type, ...row) => {
    expect(rowOf(await shippedPlan(type))).toEqual(row);
  });

  it('let the planner answer with one list that a program can read (#191)', async () => {
    const { userPrompt } = await shippedAgent('workflow.multi-pr-planner');
    const report = /<report>\n([^]*?)<\/report>/.exec(userPrompt)?.[1] ?? '';
    expect(JSON.parse(report)).toEqual([
      {
        task: expect.any(String) as unknown,
        after: [expect.any(String)],
        why: expect.any(String) as unknown,
        purpose: expect.any(String) as unknown,
        conflicts: [
          {
            path: 'path/to/file.ext',
            lines: '120-134',
            with: [expect.any(String)],
            keep: 'both',
            how: expect.any(String) as unknown,
          },
        ],
        checks: [expect.any(String)],
      },
    ]);
    for (const keep of ['this', 'target', 'both', 'rewrite'])
      expect(userPrompt).toContain(`\`${keep}\``);
  });
});
