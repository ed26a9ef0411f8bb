/** Tokens and money of one model. */
export interface ModelUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  costUsd: number;
}

/** Tokens, turns, time and money of one session, or of several. */
export interface Usage {
  turns: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
  /** Time in which an agent worked; waiting for a reset or a person is not counted. */
  seconds: number;
  /** By the model's name, as far as the backend tells them apart. */
  models: Readonly<Record<string, ModelUsage>>;
}

export const NO_USAGE: Usage = {
  turns: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  seconds: 0,
  models: {},
};

/** Adds what several sessions used. */
export function sumUsage(parts: readonly Usage[]): Usage {
  return parts.reduce((sum, part) => addUsage(sum, part), NO_USAGE);
}

/** Takes the figures alone out of a record that carries them. */
export function usageOf({ turns, inputTokens, outputTokens, costUsd, seconds, models }: Usage) {
  return { turns, inputTokens, outputTokens, costUsd, seconds, models };
}

function addUsage(one: Usage, other: Usage): Usage {
  const models = { ...one.models };
  for (const [name, used] of Object.entries(other.models))
    models[name] = addModel(Object.hasOwn(models, name) ? models[name] : undefined, used);
  return {
    turns: one.turns + other.turns,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    costUsd: one.costUsd + other.costUsd,
    seconds: one.seconds + other.seconds,
    models,
  };
}

function addModel(one: ModelUsage | undefined, other: ModelUsage): ModelUsage {
  if (!one) return other;
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    costUsd: one.costUsd + other.costUsd,
  };
}
