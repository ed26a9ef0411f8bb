import type { Usage } from '../../workflows/domain/usage.ts';

/** What was used, as it stands in result records. */
export function usageFields({ costUsd, turns, seconds, ...usage }: Usage) {
  return {
    cost_usd: costUsd,
    turns,
    seconds: Math.round(seconds),
    tokens: { input: usage.inputTokens, output: usage.outputTokens },
    models: Object.fromEntries(
      Object.entries(usage.models).map(([name, used]) => [
        name,
        {
          input_tokens: used.inputTokens,
          output_tokens: used.outputTokens,
          cache_read_tokens: used.cacheReadTokens,
          cache_write_tokens: used.cacheWriteTokens,
          cost_usd: used.costUsd,
        },
      ]),
    ),
  };
}
