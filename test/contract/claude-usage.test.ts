import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { sumUsage } from '../../workflows/domain/usage.ts';
import { describeWithClaude } from '../helpers/claude-code.ts';
import { withClaudeStage } from './claude-stage.ts';
import { usageContract } from './usage-contract.ts';

describeWithClaude('the figures of the claude backend, with the real program', () => {
  usageContract(withClaudeStage, 'claude-opus-5-5');

  it('add up to the last total that the program told (#148)', () =>
    withClaudeStage(async ({ turn, play, world }) => {
      const outcomes = [];
      for (const number of [0, 1, 2]) {
        const next = turn({ key: `audit-1700000100/0-work-${number}/life`, continues: number > 0 });
        await play(next, [
          { kind: 'run', command: 'true' },
          { kind: 'say', text: '<result>PASS</result>' },
        ]);
        outcomes.push(await world.run(next));
      }
      const log = await readFile(outcomes.at(-1)?.log ?? '', 'utf8');
      const last = log.trimEnd().split('\n').at(-1) ?? '';
      const { total_cost_usd: total } = JSON.parse(last) as { total_cost_usd: number };
      expect(total).toBeGreaterThan(0);
      expect(sumUsage(outcomes.map(({ usage }) => usage)).costUsd).toBeCloseTo(total, 9);
    }));
});
