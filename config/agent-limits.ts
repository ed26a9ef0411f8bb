import { z } from 'zod';

/** Limits of an agent, by the names that files and variables use, with what each may be (checklist 102). */
export const LIMITS = {
  max_iterations: { from: 1, to: 100, builtIn: 10 },
  max_turns: { from: 1, to: 200, builtIn: 30 },
  timeout_seconds: { from: 60, to: 86_400, builtIn: 3600 },
} as const;

export type LimitName = keyof typeof LIMITS;
export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];

const between = (from: number, to: number) =>
  z
    .int({ error: ({ input }) => outside(from, to, input) })
    .refine((value) => value >= from && value <= to, {
      error: ({ input }) => outside(from, to, input),
    });

const limit = (name: LimitName) => between(LIMITS[name].from, LIMITS[name].to).optional();

/** Keys that agents.json and a step's `config` share. */
export const limitFields = {
  max_iterations: limit('max_iterations'),
  max_turns: limit('max_turns'),
  timeout_seconds: limit('timeout_seconds'),
  supervisor_interval: between(0, 20).optional(),
  max_restarts: between(0, 10).optional(),
  auto_commit: z.boolean({ error: 'expected true or false' }).optional(),
};

/** Keys that are read and have no effect yet. */
export const IDLE_LIMITS = ['supervisor_interval', 'max_restarts', 'auto_commit'];

/** What is wrong with a limit; undefined when nothing is. `found` is how it stands in its place. */
export function limitFault(
  name: LimitName,
  value: number,
  found: unknown = value,
): string | undefined {
  const { from, to } = LIMITS[name];
  return Number.isInteger(value) && value >= from && value <= to
    ? undefined
    : outside(from, to, found);
}

function outside(from: number, to: number, found: unknown): string {
  return `expected a whole number from ${from} to ${to}, found ${JSON.stringify(found) ?? 'nothing'}`;
}
