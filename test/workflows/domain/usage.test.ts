import { describe, expect, it } from '@jest/globals';
import { NO_USAGE, sumUsage, usageOf, type Usage } from '../../../workflows/domain/usage.ts';
import { aStepRecord } from '../../helpers/a-step-record.ts';

const model = (costUsd: number) => ({
  inputTokens: 10,
  outputTokens: 1,
  cacheReadTokens: 5,
  cacheWriteTokens: 2,
  costUsd,
});
const session = (models: Usage['models']): Usage => ({
  turns: 2,
  inputTokens: 10,
  outputTokens: 1,
  costUsd: 0.5,
  seconds: 3,
  models,
});

describe('sumUsage', () => {
  it('adds turns, tokens, time and cost, and each model by itself (#148)', () => {
    expect(
      sumUsage([
        session({ opus: model(0.5) }),
        session({ opus: model(0.25), haiku: model(0.125) }),
      ]),
    ).toEqual({
      turns: 4,
      inputTokens: 20,
      outputTokens: 2,
      costUsd: 1,
      seconds: 6,
      models: {
        opus: {
          inputTokens: 20,
          outputTokens: 2,
          cacheReadTokens: 10,
          cacheWriteTokens: 4,
          costUsd: 0.75,
        },
        haiku: model(0.125),
      },
    });
  });

  it('is nothing for nothing', () => {
    expect(sumUsage([])).toEqual(NO_USAGE);
  });

  it('takes a model called like a property of every object for a model', () => {
    expect(sumUsage([session({ constructor: model(1) })]).models).toEqual({
      constructor: model(1),
    });
  });
});

describe('usageOf', () => {
  it('takes the figures alone out of a record', () => {
    expect(usageOf(aStepRecord({ costUsd: 2 }))).toEqual({
      ...NO_USAGE,
      costUsd: 2,
      turns: 1,
      seconds: 1,
    });
  });
});
