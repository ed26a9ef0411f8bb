import { own } from './steps.ts';

/** Tokens and money of one model. */
export interface ModelUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  costUsd: number;
}

/** Tokens and money by the model's name. */
export type Models = Readonly<Record<string, ModelUsage>>;

/** Tokens, turns, time and money of one session, or of several. */
export interface Usage {
  turns: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
  /** Time in which an agent worked; waiting for a reset or a person is not counted. */
  seconds: number;
  /** As far as the backend tells them apart. */
  models: Models;
}

export const NO_USAGE: Usage = {
  turns: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  seconds: 0,
  models: {},
};

const NO_MODEL_USAGE: ModelUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0,
};
/** Less than this is left over from adding fractions. */
const LEAST = 1e-9;

/** Adds what several sessions used. */
export function sumUsage(parts: readonly Usage[]): Usage {
  return parts.reduce((sum, part) => addUsage(sum, part), NO_USAGE);
}

/** Takes the figures alone out of a record that carries them. */
export function usageOf({ turns, inputTokens, outputTokens, costUsd, seconds, models }: Usage) {
  return { turns, inputTokens, outputTokens, costUsd, seconds, models };
}

/** Figures of one model; what is not named is nothing. */
export function modelFigures(name: string, figures: Partial<ModelUsage>): Models {
  return Object.fromEntries([[name, { ...NO_MODEL_USAGE, ...figures }]]);
}

/** Adds figures, each model by itself. */
export function addModels(...parts: Models[]): Models {
  return parts.reduce((sum, part) => joinModels(sum, part, (a, b) => a + b), {});
}

/** The greater of both, figure by figure. */
export function atLeast(one: Models, other: Models): Models {
  return joinModels(one, other, Math.max);
}

/** What one has beyond the other. */
export function beyond(one: Models, other: Models): Models {
  return joinModels(one, other, (a, b) => (a - b > LEAST ? a - b : 0));
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

function addUsage(one: Usage, other: Usage): Usage {
  return {
    turns: one.turns + other.turns,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    costUsd: one.costUsd + other.costUsd,
    seconds: one.seconds + other.seconds,
    models: addModels(one.models, other.models),
  };
}

type Join = (one: number, other: number) => number;

// A model without any figure is left out.
function joinModels(one: Models, other: Models, join: Join): Models {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  const joined = [...names].map((name) => {
    const [a, b] = [own(one, name) ?? NO_MODEL_USAGE, own(other, name) ?? NO_MODEL_USAGE];
    return [name, joinFigures(a, b, join)] as const;
  });
  return Object.fromEntries(joined.filter(([, used]) => hasFigures(used)));
}

function joinFigures(one: ModelUsage, other: ModelUsage, join: Join): ModelUsage {
  return {
    inputTokens: join(one.inputTokens, other.inputTokens),
    outputTokens: join(one.outputTokens, other.outputTokens),
    cacheReadTokens: join(one.cacheReadTokens, other.cacheReadTokens),
    cacheWriteTokens: join(one.cacheWriteTokens, other.cacheWriteTokens),
    costUsd: join(one.costUsd, other.costUsd),
  };
}

function hasFigures(used: ModelUsage): boolean {
  return Object.values(used).some((figure: number) => figure > 0);
}
