import { own } from '../../workflows/domain/steps.ts';
import type { ModelUsage, Usage } from '../../workflows/domain/usage.ts';

/** Tokens and money by the model's name. */
export type Models = Usage['models'];

const NOTHING: ModelUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0,
};
const FIELDS = Object.keys(NOTHING) as (keyof ModelUsage)[];
/** Less than this is left over from adding fractions. */
const LEAST = 1e-9;
/** How the prices of a model's tokens stand to each other, in every list of prices. */
const WEIGHTS = { inputTokens: 1, outputTokens: 5, cacheReadTokens: 0.1, cacheWriteTokens: 1.25 };

/** Figures of one model; what is not named is nothing. */
export function modelFigures(name: string, figures: Partial<ModelUsage>): Models {
  return Object.fromEntries([[name, { ...NOTHING, ...figures }]]);
}

export function addModels(...parts: Models[]): Models {
  return parts.reduce((sum, part) => each(sum, part, (a, b) => a + b), {});
}

/** The greater of both, figure by figure. */
export function atLeast(one: Models, other: Models): Models {
  return each(one, other, Math.max);
}

/** What one has beyond the other. */
export function beyond(one: Models, other: Models): Models {
  return each(one, other, (a, b) => (a - b > LEAST ? a - b : 0));
}

/** The figures of all models together, as a usage tells them. */
export function totalOf(
  models: Models,
): Pick<Usage, 'inputTokens' | 'outputTokens' | 'costUsd' | 'models'> {
  const all = Object.values(models);
  const sum = (figure: (used: ModelUsage) => number) =>
    all.reduce((total, used) => total + figure(used), 0);
  return {
    inputTokens: sum((used) => used.inputTokens + used.cacheReadTokens + used.cacheWriteTokens),
    outputTokens: sum((used) => used.outputTokens),
    costUsd: sum((used) => used.costUsd),
    models,
  };
}

/** The money that tokens are worth at the rate of others; nothing for a model whose price nobody told. */
export function priceAt(models: Models, known: Models): Models {
  const prices = Object.entries(models).map(([name, used]) => {
    const others = own(known, name) ?? NOTHING;
    const rate = others.costUsd / (weightOf(others) || Infinity);
    return [name, { ...NOTHING, costUsd: rate * weightOf(used) }] as const;
  });
  return Object.fromEntries(prices.filter(([, { costUsd }]) => costUsd > 0));
}

function weightOf(used: ModelUsage): number {
  const kinds = Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[];
  return kinds.reduce((sum, kind) => sum + WEIGHTS[kind] * used[kind], 0);
}

// A model without any figure is left out.
function each(one: Models, other: Models, join: (a: number, b: number) => number): Models {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  const joined = [...names].map((name) => {
    const [a, b] = [own(one, name) ?? NOTHING, own(other, name) ?? NOTHING];
    const figures = FIELDS.map((field) => [field, join(a[field], b[field])] as const);
    return [name, figures] as const;
  });
  return Object.fromEntries(
    joined
      .filter(([, figures]) => figures.some(([, figure]) => figure > 0))
      .map(([name, figures]) => [name, Object.fromEntries(figures) as unknown as ModelUsage]),
  );
}
