import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { claude } from '../../../activities/agent/claude/claude.ts';
import { writeFinished } from '../../../activities/agent/finished-record.ts';
import { usageOfTurn } from '../../../activities/agent/turn-story.ts';
import { sumUsage, type ModelUsage, type Usage } from '../../../workflows/domain/usage.ts';
import { addAttempt, aTurnStory } from '../../helpers/a-turn-story.ts';
import { withAgents } from '../../helpers/with-agents.ts';

type Tokens = Omit<ModelUsage, 'costUsd'>;

/** How a run ended: with its result, by SIGTERM, or by SIGKILL. */
type Ending = 'told' | 'stopped' | 'killed';

interface Run {
  model: 'big' | 'small';
  answers: Tokens[];
  ending: Ending;
  /** Whether the turn goes on with the next run, as after the death of a worker. */
  goesOn: boolean;
}

const PRICES = { big: 4e-6, small: 1e-6 };

/** Keeps account of a session as the real program was seen to do. */
class Program {
  private readonly total = new Map<string, ModelUsage>();

  run({ model, answers, ending }: Run): string[] {
    const use = answers.reduce<ModelUsage>((sum, answer) => plus(sum, priced(model, answer)), NONE);
    if (ending !== 'killed') this.total.set(model, plus(this.total.get(model) ?? NONE, use));
    const lines: object[] = [
      { type: 'system', subtype: 'init', session_id: 's', model },
      ...answers.flatMap(answerLines),
    ];
    if (ending === 'told')
      lines.push({
        type: 'result',
        subtype: 'success',
        is_error: false,
        num_turns: answers.length,
        model_usage_since_last_result: { [model]: figures(use) },
        modelUsage: Object.fromEntries([...this.total].map(([name, all]) => [name, figures(all)])),
      });
    return lines.map((line) => JSON.stringify(line));
  }

  get costUsd(): number {
    return [...this.total.values()].reduce((sum, { costUsd }) => sum + costUsd, 0);
  }
}

const NONE: ModelUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0,
};

function plus(one: ModelUsage, other: ModelUsage): ModelUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    costUsd: one.costUsd + other.costUsd,
  };
}

function priced(model: Run['model'], tokens: Tokens): ModelUsage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = tokens;
  const weight = inputTokens + 5 * outputTokens + 0.1 * cacheReadTokens + 1.25 * cacheWriteTokens;
  return { ...tokens, costUsd: weight * PRICES[model] };
}

function answerLines({ inputTokens, outputTokens, ...cache }: Tokens): object[] {
  const usage = {
    input_tokens: inputTokens,
    cache_read_input_tokens: cache.cacheReadTokens,
    cache_creation_input_tokens: cache.cacheWriteTokens,
    output_tokens: 1,
  };
  return [
    { type: 'stream_event', event: { type: 'message_start', message: { usage } } },
    {
      type: 'stream_event',
      event: { type: 'message_delta', usage: { output_tokens: outputTokens } },
    },
  ];
}

function figures(use: ModelUsage) {
  return {
    inputTokens: use.inputTokens,
    outputTokens: use.outputTokens,
    cacheReadInputTokens: use.cacheReadTokens,
    cacheCreationInputTokens: use.cacheWriteTokens,
    costUSD: use.costUsd,
  };
}

/** Plays a session in runs, and adds up what its turns are told to have used. */
async function countedOf(runs: readonly Run[]): Promise<{ usage: Usage; program: Program }> {
  const program = new Program();
  const parts: Usage[] = [];
  await withAgents(async (world) => {
    let story = await aTurnStory(world, claude, '0');
    for (const [index, run] of runs.entries()) {
      addAttempt(story, program.run(run));
      if (run.goesOn && run.ending !== 'told' && index + 1 < runs.length) continue;
      const usage = usageOfTurn(story);
      parts.push(usage);
      const { sessionId } = story.turn;
      const at = { startedAt: '', endedAt: '', log: '' };
      await writeFinished(story.turn, { kind: 'ok', complete: true, sessionId, usage, ...at });
      story = await aTurnStory(world, claude, String(index + 1));
    }
  });
  return { usage: sumUsage(parts), program };
}

const tokens = fc.nat({ max: 100_000 });
const answer: fc.Arbitrary<Tokens> = fc.record({
  inputTokens: fc.integer({ min: 1, max: 100_000 }),
  outputTokens: tokens,
  cacheReadTokens: tokens,
  cacheWriteTokens: tokens,
});
const runOf = (...endings: Ending[]): fc.Arbitrary<Run> =>
  fc.record({
    model: fc.constantFrom('big', 'small'),
    answers: fc.array(answer, { maxLength: 4 }),
    ending: fc.constantFrom(...endings),
    goesOn: fc.boolean(),
  });
const told = { ending: 'told', goesOn: false } as const;

/** What was used in truth. */
function truthOf(runs: readonly Run[]) {
  const models: Record<string, ModelUsage> = {};
  for (const { model, answers } of runs)
    for (const each of answers) models[model] = plus(models[model] ?? NONE, priced(model, each));
  return models;
}

const close = (models: Usage['models']) =>
  Object.fromEntries(
    Object.entries(models).map(([name, used]) => [
      name,
      { ...used, costUsd: expect.closeTo(used.costUsd, 6) },
    ]),
  );

const costOf = (models: Usage['models']) =>
  Object.values(models).reduce((sum, { costUsd }) => sum + costUsd, 0);

describe('the figures of a session (#148, #64)', () => {
  it('are the same wherever it is cut into runs, as long as no run is killed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(runOf('told', 'stopped'), { maxLength: 6 }),
        fc.record({ model: fc.constant('big' as const), answers: fc.array(answer) }),
        async (before, last) => {
          const runs: Run[] = [...before, { ...last, ...told }];
          const { usage, program } = await countedOf(runs);
          expect(usage.models).toEqual(close(truthOf(runs)));
          expect(usage.costUsd).toBeCloseTo(program.costUsd, 6);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('are the same also when runs are killed, where the price of the model was told once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(runOf('told', 'killed'), { maxLength: 6 }),
        answer,
        async (others, one) => {
          const first: Run[] = (['big', 'small'] as const).map((model) => ({
            model,
            answers: [one],
            ...told,
          }));
          const runs = [...first, ...others];
          const { usage } = await countedOf(runs);
          expect(usage.models).toEqual(close(truthOf(runs)));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('keep all tokens, and money between the last total of the program and the truth', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(runOf('told', 'stopped', 'killed'), { maxLength: 8 }),
        async (before) => {
          const runs: Run[] = [...before, { model: 'big', answers: [], ...told }];
          const { usage, program } = await countedOf(runs);
          const truth = truthOf(runs);
          for (const [name, used] of Object.entries(truth))
            expect(usage.models[name]).toEqual({ ...used, costUsd: expect.any(Number) });
          expect(usage.costUsd).toBeGreaterThanOrEqual(program.costUsd - 1e-6);
          expect(usage.costUsd).toBeLessThanOrEqual(costOf(truth) + 1e-6);
        },
      ),
      { numRuns: 40 },
    );
  });
});
