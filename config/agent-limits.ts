import { z } from 'zod';

/** What a setting wants, for the message about another value. */
export const expected = (what: string) => ({
  error: ({ input }: { input?: unknown }) =>
    `expected ${what}, found ${(JSON.stringify(input) ?? 'nothing').slice(0, 80)}`,
});

const between = (from: number, to: number) => {
  const range = expected(`a whole number from ${from} to ${to}`);
  return z.int(range).min(from, range).max(to, range).optional();
};

/** Limits of an agent, by the names that files and variables use, with what each may be (checklist 102). */
export const limitFields = {
  max_iterations: between(1, 100),
  max_turns: between(1, 200),
  timeout_seconds: between(60, 86_400),
  supervisor_interval: between(0, 20),
  max_restarts: between(0, 10),
  auto_commit: z.boolean(expected('true or false')).optional(),
};

export type LimitName = keyof typeof limitFields;
export type LimitValue<Name extends LimitName> = NonNullable<z.infer<(typeof limitFields)[Name]>>;
export type Limits = { [Name in LimitName]?: LimitValue<Name> | undefined };

export const LIMIT_NAMES = Object.keys(limitFields) as LimitName[];

/** What holds where nobody says anything (checklist 200). */
export const BUILT_IN_LIMITS: { [Name in LimitName]: LimitValue<Name> } = {
  max_iterations: 10,
  max_turns: 30,
  timeout_seconds: 3600,
  supervisor_interval: 0,
  max_restarts: 2,
  auto_commit: false,
};

/** Types of agents as settings may write them; names of earlier releases are of this form too. */
export const agentName = z.string().regex(/^[a-z][a-z0-9.-]*$/, {
  error: ({ input }) => `expected an agent type like engineering.code-review, found "${input}"`,
});

/** What is wrong with a limit; undefined when nothing is. */
export function limitFault(name: LimitName, value: unknown): string | undefined {
  return limitFields[name].safeParse(value).error?.issues[0]?.message;
}
