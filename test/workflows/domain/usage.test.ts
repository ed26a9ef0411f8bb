import { describe, expect, it } from '@jest/globals';
import {
  addModels,
  atLeast,
  beyond,
  modelFigures,
  NO_USAGE,
  sumUsage,
  totalOf,
  usageOf,
  type Usage,
} from '../../../workflows/domain/usage.ts';
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

describe('figures by model', () => {
  const some = addModels(
    modelFigures('opus', { inputTokens: 3, cacheReadTokens: 1, costUsd: 0.3 }),
    modelFigures('haiku', { outputTokens: 2 }),
  );
  const more = modelFigures('opus', { inputTokens: 5, cacheWriteTokens: 4, costUsd: 0.1 });

  it('are the greater of both, figure by figure (#148)', () => {
    expect(atLeast(some, more)).toEqual({
      ...modelFigures('opus', {
        inputTokens: 5,
        cacheReadTokens: 1,
        cacheWriteTokens: 4,
        costUsd: 0.3,
      }),
      ...modelFigures('haiku', { outputTokens: 2 }),
    });
  });

  it('are what one has beyond the other, and no model that has nothing (#148)', () => {
    expect(beyond(more, some)).toEqual(
      modelFigures('opus', { inputTokens: 2, cacheWriteTokens: 4 }),
    );
    expect(beyond(some, some)).toEqual({});
  });

  it('count no crumbs of adding fractions as money (#148)', () => {
    const added = modelFigures('opus', { costUsd: 0.1 + 0.2 });
    expect(beyond(added, modelFigures('opus', { costUsd: 0.3 }))).toEqual({});
  });

  it('make one total, in which all that was read is input (#148)', () => {
    const models = addModels(some, more);
    expect(totalOf(models)).toEqual({
      inputTokens: 13,
      outputTokens: 2,
      costUsd: 0.4,
      models,
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
