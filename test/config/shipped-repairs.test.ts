import { beforeAll, describe, expect, it } from '@jest/globals';
import type { LoadedRun } from '../../config/load-definitions.ts';
import { readShipped, roadOf } from '../helpers/shipped-run.ts';

/** A title, what the units answer in turn (PASS where nothing is said), and what runs. */
type Road = [title: string, results: Record<string, string[]>, road: string];

const repeat = (result: string, times: number) => Array.from({ length: times }, () => result);
const FIX = (times: number) => repeat('FIX', times);

describe.each<[string, Road[]]>([
  [
    'fix',
    [
      [
        'answers comments, syncs, tests, pushes and merges',
        {},
        'pr-fix sync-main test-run commit-push merge completed',
      ],
      [
        'goes on without comments',
        { 'pr-fix': ['SKIP'], 'test-run': ['SKIP'] },
        'pr-fix sync-main test-run commit-push merge completed',
      ],
      [
        'has another look at comments that are left',
        { 'pr-fix': FIX(2) },
        'pr-fix pr-fix pr-fix sync-main test-run commit-push merge completed',
      ],
      [
        'merges nothing while comments are left',
        { 'pr-fix': FIX(3) },
        'pr-fix pr-fix pr-fix aborted: result',
      ],
      ['ends when no comment can be answered', { 'pr-fix': ['FAIL'] }, 'pr-fix aborted: result'],
      [
        'resolves conflicts and tests the result',
        { 'sync-main': ['FAIL'] },
        'pr-fix sync-main resolve test-run commit-push merge completed',
      ],
      [
        'tests when there was nothing to resolve',
        { 'sync-main': ['FAIL'], resolve: ['SKIP'] },
        'pr-fix sync-main resolve test-run commit-push merge completed',
      ],
      [
        'ends when a conflict cannot be resolved',
        { 'sync-main': ['FAIL'], resolve: ['FAIL'] },
        'pr-fix sync-main resolve aborted: result',
      ],
      [
        'syncs again when the resolver says nothing, three times at most',
        { 'sync-main': repeat('FAIL', 4), resolve: repeat('UNKNOWN', 4) },
        'pr-fix sync-main resolve sync-main resolve sync-main resolve aborted: exhausted',
      ],
      [
        'repairs what the tests found',
        { 'test-run': ['FIX'] },
        'pr-fix sync-main test-run test-fix test-run commit-push merge completed',
      ],
      [
        'pushes nothing while tests fail',
        { 'test-run': FIX(3) },
        'pr-fix sync-main test-run test-fix test-run test-fix test-run aborted: exhausted',
      ],
      [
        'ends when the tests cannot be run',
        { 'test-run': ['FAIL'] },
        'pr-fix sync-main test-run aborted: result',
      ],
      [
        'syncs and tests again after a refused push',
        { 'commit-push': ['FAIL'] },
        'pr-fix sync-main test-run commit-push sync-main test-run commit-push merge completed',
      ],
      [
        'syncs and tests again after a refused merge',
        { merge: ['FAIL'] },
        'pr-fix sync-main test-run commit-push merge sync-main test-run commit-push merge completed',
      ],
      [
        'does not call it merged after two refused merges',
        { merge: ['FAIL', 'FAIL'] },
        'pr-fix sync-main test-run commit-push merge sync-main test-run commit-push merge sync-main test-run aborted: exhausted',
      ],
    ],
  ],
  [
    'multi-pr-resolve',
    [
      [
        'merges at once where main can be brought in',
        {},
        'wait-turn sync-main commit-push merge signal-done completed',
      ],
      [
        'goes on where its place in the batch is done already',
        { 'wait-turn': ['SKIP'] },
        'wait-turn sync-main commit-push merge signal-done completed',
      ],
      [
        'brings nothing in before its turn, and tells the batch that it gave up waiting',
        { 'wait-turn': ['FAIL'] },
        'wait-turn turn-failed aborted: result',
      ],
      [
        'resolves and tests before it merges',
        { 'sync-main': ['FAIL'] },
        'wait-turn sync-main resolve test-run commit-push merge signal-done completed',
      ],
      [
        'tells the batch that a conflict cannot be resolved',
        { 'sync-main': ['FAIL'], resolve: ['FAIL'] },
        'wait-turn sync-main resolve resolve-failed aborted: result',
      ],
      [
        'lets the resolver try again when its commit is refused',
        { 'sync-main': ['FAIL'], resolve: ['FIX'] },
        'wait-turn sync-main resolve resolve test-run commit-push merge signal-done completed',
      ],
      [
        'tells the batch when commits are refused three times',
        { 'sync-main': ['FAIL'], resolve: FIX(3) },
        'wait-turn sync-main resolve resolve resolve resolve-failed aborted: result',
      ],
      [
        'repairs what the tests found',
        { 'sync-main': ['FAIL'], 'test-run': ['FIX'] },
        'wait-turn sync-main resolve test-run test-fix test-run commit-push merge signal-done completed',
      ],
      [
        'pushes nothing while tests fail',
        { 'sync-main': ['FAIL'], 'test-run': FIX(3) },
        'wait-turn sync-main resolve test-run test-fix test-run test-fix test-run aborted: exhausted',
      ],
      [
        'tells the batch that tests cannot be run',
        { 'sync-main': ['FAIL'], 'test-run': ['FAIL'] },
        'wait-turn sync-main resolve test-run test-failed aborted: result',
      ],
      [
        'tells the batch that it cannot push',
        { 'commit-push': ['FAIL'] },
        'wait-turn sync-main commit-push push-failed aborted: result',
      ],
      [
        'tells the batch that it cannot merge',
        { merge: ['FAIL'] },
        'wait-turn sync-main commit-push merge merge-failed aborted: result',
      ],
      [
        'ends even when the batch cannot be told',
        { merge: ['FAIL'], 'merge-failed': ['FAIL'] },
        'wait-turn sync-main commit-push merge merge-failed aborted: result',
      ],
    ],
  ],
  [
    'failure-recovery',
    [
      ['analyses, then removes the cause', {}, 'failure-summarize failure-resolve completed'],
      [
        'repairs nothing whose cause is unknown',
        { 'failure-summarize': ['FAIL'] },
        'failure-summarize aborted: result',
      ],
      [
        'repairs nothing without an analysis',
        { 'failure-summarize': ['UNKNOWN'] },
        'failure-summarize aborted: exhausted',
      ],
      [
        'goes on with half a repair once',
        { 'failure-resolve': ['FIX'] },
        'failure-summarize failure-resolve failure-resolve completed',
      ],
      [
        'does not call half a repair recovered',
        { 'failure-resolve': FIX(2) },
        'failure-summarize failure-resolve failure-resolve aborted: exhausted',
      ],
    ],
  ],
  [
    'intent-distill',
    [
      ['writes the document', {}, 'distill completed'],
      ['goes on with what is missing', { distill: ['FIX'] }, 'distill distill completed'],
      ['does not call half of it done', { distill: FIX(2) }, 'distill distill aborted: exhausted'],
      ['ends where there is nothing to read', { distill: ['FAIL'] }, 'distill aborted: result'],
    ],
  ],
  ...[
    ['memory-extract', 'analyze'],
    ['meta-codebase-health', 'scan'],
    ['meta-todo-hunter', 'hunt'],
    ['meta-self-improve', 'improve'],
  ].map(([name = '', step = '']): [string, Road[]] => [
    name,
    [
      ['is one step', {}, `${step} completed`],
      ['ends when it fails', { [step]: ['FAIL'] }, `${step} aborted: result`],
      ['is not done when it says nothing', { [step]: ['UNKNOWN'] }, `${step} aborted: exhausted`],
    ],
  ]),
])('the pipeline %s', (name, roads) => {
  let run: LoadedRun | undefined;
  beforeAll(async () => {
    ({ run } = await readShipped(name));
  });

  it.each(roads)('%s (#63)', (_title, results, expected) => {
    if (!run) throw new Error(`${name} does not load`);
    expect(roadOf(run, results).join(' ')).toBe(expected);
  });
});
