import { describe, expect, it } from '@jest/globals';
import { claude } from '../../../activities/agent/claude/claude.ts';
import { usageOfTurn } from '../../../activities/agent/turn-story.ts';
import type { ModelUsage, Usage } from '../../../workflows/domain/usage.ts';
import { addAttempt, aTurnStory, recordedStream } from '../../helpers/a-turn-story.ts';
import { withAgents } from '../../helpers/with-agents.ts';

/** Each answer took the same, so figures are told in answers. */
const answers = (count: number, costOfOne: number, changes: Partial<ModelUsage> = {}) => ({
  inputTokens: 100 * count,
  outputTokens: 50 * count,
  cacheReadTokens: 1000 * count,
  cacheWriteTokens: 200 * count,
  costUsd: expect.closeTo(costOfOne * count, 9),
  ...changes,
});
const opus = (count: number, changes?: Partial<ModelUsage>) => ({
  'claude-opus-5-5': answers(count, 0.0026, changes),
});

async function usageOf(runs: readonly string[]): Promise<Usage> {
  let usage: Usage | undefined;
  await withAgents(async (world) => {
    const story = await aTurnStory(world, claude);
    for (const run of runs) addAttempt(story, await recordedStream(run));
    usage = usageOfTurn(story);
  });
  if (!usage) throw new Error('nothing was read');
  return usage;
}

describe('the use of sessions of the real program (#148)', () => {
  it.each<[string, string[], number, object]>([
    ['one run', ['first'], 2, opus(2)],
    ['one that goes on', ['first', 'resumed'], 4, opus(4)],
    [
      'another model in between',
      ['first', 'resumed', 'after-the-kill', 'another-model'],
      6,
      { ...opus(5), 'claude-haiku-4-5': answers(1, 0.0007) },
    ],
    [
      'a helper with a model of its own',
      ['with-a-helper'],
      2,
      { ...opus(2), 'claude-haiku-5-5': answers(2, 0.00007) },
    ],
    // The total of the run behind it has what SIGTERM kept it from telling.
    ['a run that was stopped', ['stopped', 'after-the-stop'], 3, opus(3)],
    // The program forgets it: priced as the others were.
    ['a run that was killed', ['first', 'resumed', 'killed', 'after-the-kill'], 7, opus(7)],
    ['a killed run that nobody went on with', ['first', 'killed'], 4, opus(4)],
    ['a killed run without any price', ['killed'], 2, opus(2, { costUsd: 0 })],
    [
      'a run that was killed in an answer: its output is lost',
      ['killed-in-an-answer'],
      1,
      opus(2, { outputTokens: 50, costUsd: 0 }),
    ],
    ['a session that is not there', ['unknown-session'], 0, {}],
    ['a session that is not there any more', ['first', 'unknown-session'], 2, opus(2)],
  ])('counts %s', async (_title, runs, turns, models) => {
    const usage = await usageOf(runs);
    expect(usage.models).toEqual(models);
    expect(usage.turns).toBe(turns);
    const used = Object.values(usage.models);
    const sum = (figure: (model: ModelUsage) => number) =>
      used.reduce((total, model) => total + figure(model), 0);
    expect(usage.costUsd).toBeCloseTo(sum(({ costUsd }) => costUsd));
    expect(usage.outputTokens).toBe(sum(({ outputTokens }) => outputTokens));
    expect(usage.inputTokens).toBe(
      sum((model) => model.inputTokens + model.cacheReadTokens + model.cacheWriteTokens),
    );
  });

  it('names the model as the ends do, where answers name it with a date', async () => {
    await withAgents(async (world) => {
      const story = await aTurnStory(world, claude);
      const dated = (line: string) =>
        line.includes('"type":"stream_event"')
          ? line.replace('opus-5-5', 'opus-5-5-20260101')
          : line;
      addAttempt(story, (await recordedStream('stopped')).map(dated));
      addAttempt(story, (await recordedStream('after-the-stop')).map(dated));
      expect(usageOfTurn(story).models).toEqual(opus(3));
    });
  });
});
