import { own } from '../../workflows/domain/steps.ts';
import {
  addModels,
  modelFigures,
  type ModelUsage,
  type Models,
} from '../../workflows/domain/usage.ts';

/** The money that tokens are worth at the rate of others; nothing for a model whose price nobody told. */
export function priceAt(models: Models, known: Models): Models {
  const prices = Object.entries(models).map(([name, used]) => {
    const others = own(known, name);
    const rate = others ? others.costUsd / (weightOf(others) || Infinity) : 0;
    return modelFigures(name, { costUsd: rate * weightOf(used) });
  });
  return addModels(...prices);
}

/** Tokens by their worth: so the prices of a model stand to each other, in every list of prices. */
function weightOf(used: ModelUsage): number {
  return (
    used.inputTokens +
    5 * used.outputTokens +
    0.1 * used.cacheReadTokens +
    1.25 * used.cacheWriteTokens
  );
}
