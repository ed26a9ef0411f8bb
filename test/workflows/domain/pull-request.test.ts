import { describe, expect, it } from '@jest/globals';
import { pullRequestTitle, renderDescription } from '../../../workflows/domain/pull-request.ts';
import type { StepRecord } from '../../../workflows/domain/task.ts';
import { aStepRecord } from '../../helpers/a-step-record.ts';

describe('pullRequestTitle', () => {
  it.each([
    ['Do it', 'TASK-001: Do it'],
    ['TASK-001: Do it', 'TASK-001: Do it'],
    ['TASK-0012: Do it', 'TASK-001: TASK-0012: Do it'],
    ['say "hi" to `$USER` \\n 🦆', 'TASK-001: say "hi" to `$USER` \\n 🦆'],
    ['two\nlines\r\n', 'TASK-001: two lines'],
  ])('of %j is %j (#22, #117)', (title, expected) => {
    expect(pullRequestTitle('TASK-001', title)).toBe(expected);
  });
});

describe('renderDescription', () => {
  const changes = { files: 2, insertions: 1, deletions: 0 };

  it('has requirements, changelog, steps with results, and metrics (#117)', () => {
    const text = renderDescription({
      prd: '# Task: TASK-001 - Do it\n\n- [x] Work\n',
      commits: [{ id: 'a'.repeat(40), subject: 'TASK-001: build - coder' }],
      changes,
      steps: [
        aStep({ step: 'build', seconds: 3725, costUsd: 1.005, iterations: 3, turns: 12 }),
        aStep({ step: 'audit', visit: 2, result: 'FIX', seconds: 59.6, iterations: 1, turns: 1 }),
      ],
    });
    expect(text).toBe(
      [
        '# Task: TASK-001 - Do it',
        '',
        '- [x] Work',
        '',
        '## Changelog',
        '',
        '- TASK-001: build - coder (aaaaaaaaaa)',
        '',
        '2 files changed, 1 line added, 0 lines removed.',
        '',
        '## Steps',
        '',
        '| Step | Agent | Result | Iterations | Time | Cost |',
        '|---|---|---|---|---|---|',
        '| build | coder | PASS | 3 | 1 h 2 min | $1.00 |',
        '| audit (visit 2) | coder | FIX | 1 | 1 min 0 s | $0.00 |',
        '',
        '## Metrics',
        '',
        '- Time: 1 h 3 min',
        '- Agent runs: 2, 4 iterations, 13 turns',
        '- Cost: $1.00',
        '',
      ].join('\n'),
    );
  });

  it('does without requirements and without steps', () => {
    const text = renderDescription({ prd: '', commits: [], changes, steps: [] });
    expect(text.startsWith('## Changelog\n')).toBe(true);
    expect(text).not.toContain('## Steps');
    expect(text).toContain('- Agent runs: 0, 0 iterations, 0 turns');
  });
});

function aStep(changes: Partial<StepRecord>): StepRecord {
  return aStepRecord({ step: 'build', agent: 'coder', ...changes });
}
