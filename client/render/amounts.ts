import type { Usage } from '../../workflows/domain/usage.ts';

/** A span of time in the two largest units that matter: `8s`, `3m 05s`, `2h 10m`. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  if (seconds < 86_400)
    return `${Math.floor(seconds / 3600)}h ${two(Math.floor(seconds / 60) % 60)}m`;
  return `${Math.floor(seconds / 86_400)}d ${two(Math.floor(seconds / 3600) % 24)}h`;
}

/** Money of a run: `$1.12`. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(2)}`;
}

/** `1 task`, `2 tasks`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Tokens, to three digits at most: `950`, `120k`, `1.2M`. */
export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_500) return `${Math.round(count / 1_000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** What was used, in one line: `41 turns · 120k tokens in, 8k out · $1.12`. */
export function usageText({ turns, inputTokens, outputTokens, costUsd }: Usage): string {
  const spoken = `${tokens(inputTokens)} tokens in, ${tokens(outputTokens)} out`;
  return `${counted(turns, 'turn')} · ${spoken} · ${dollars(costUsd)}`;
}
