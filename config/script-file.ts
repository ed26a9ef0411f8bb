import { parseDocument } from 'yaml';
import { z } from 'zod';
import { DECISIONS } from '../workflows/domain/agent.ts';
import { own } from '../workflows/domain/steps.ts';
import { jsonPath } from './json-lines.ts';

/** One thing that the scripted agent does. */
export type ScriptAction = z.infer<typeof actionSchema>;

/** What the agent does at one start: the actions of each iteration, the last list repeats. */
export interface ScriptVisit {
  iterations: ScriptAction[][];
  /** Words of a summary turn, in place of the usual ones. */
  summary?: string;
  /** What each look of a supervisor brings, the last one repeats; undefined = it lets the loop go on. */
  supervisor?: ScriptLook[];
}

/** One look of a supervisor: its answer, or actions that do as they please. */
export type ScriptLook = z.infer<typeof lookSchema>;

type Visits = Readonly<Record<string, ScriptVisit[]>>;

/** A scenario: who does what, at which visit. */
export interface Script {
  /** File that gets one line per start, action and end; as written, relative to the scenario. */
  ledger?: string;
  /** By step id or agent type. */
  agents: Visits;
  /** The same for one task; wins over `agents`. */
  tasks: Readonly<Record<string, Visits>>;
  /** What everybody else does; undefined = does what its completion check asks, and passes. */
  default?: ScriptVisit[];
}

export interface ScriptProblem {
  where: string;
  message: string;
}

/** Reads a scenario; finds all of its problems at once. */
export function parseScript(text: string): { script?: Script; problems: ScriptProblem[] } {
  const document = parseDocument(text, { prettyErrors: true });
  if (document.errors.length > 0)
    return {
      problems: document.errors.map((error) => ({
        where: `line ${error.linePos?.[0].line ?? '?'}`,
        message: error.message.split('\n')[0] ?? error.code,
      })),
    };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    return { problems: [{ where: 'top level', message: (cause as Error).message }] };
  }
  const read = scriptSchema.safeParse(value ?? {});
  if (read.success) return { script: read.data, problems: [] };
  return { problems: read.error.issues.flatMap((issue) => describe(issue, [])) };
}

/** The actions of one turn: task before everybody, step before agent type. */
export function actionsFor(
  script: Script,
  at: { taskId: string; stepId: string; agent: string; visit: number; iteration: number },
): (ScriptVisit & { actions: ScriptAction[] }) | undefined {
  const task = own(script.tasks, at.taskId) ?? {};
  const visits =
    own(task, at.stepId) ??
    own(task, at.agent) ??
    own(script.agents, at.stepId) ??
    own(script.agents, at.agent) ??
    script.default;
  const visit = visits?.[Math.min(at.visit, visits.length) - 1];
  const actions = visit?.iterations[Math.min(at.iteration, visit.iterations.length - 1)];
  return visit && actions && { ...visit, actions };
}

const text = z.string();
const filled = z.string().min(1);
const on = z.literal(true);
const count = z.int().nonnegative();

const ACTIONS = {
  say: z.strictObject({ say: text }),
  report: z.strictObject({ report: text }),
  tool: z.strictObject({ tool: filled }),
  deny: z.strictObject({ deny: filled }),
  write: z.strictObject({ write: z.strictObject({ path: filled, content: text }) }),
  append: z.strictObject({ append: z.strictObject({ path: filled, content: text }) }),
  replace: z.strictObject({
    replace: z.strictObject({ path: filled, find: filled, with: text }),
  }),
  delete: z.strictObject({ delete: filled }),
  run: z.strictObject({ run: filled, on_failure: filled.optional() }),
  tick_prd: z.strictObject({ tick_prd: z.union([z.literal('all'), z.int().positive()]) }),
  wait: z.strictObject({ wait: z.number().nonnegative() }),
  wait_for: z.strictObject({ wait_for: filled }),
  cost: z.strictObject({ cost: z.number().nonnegative(), model: filled.optional() }),
  tokens: z.strictObject({
    tokens: z.strictObject({
      input: count.default(0),
      output: count.default(0),
      cache_read: count.optional(),
      cache_write: count.optional(),
    }),
    model: filled.optional(),
  }),
  result: z.strictObject({ result: filled }),
  forget_result: z.strictObject({ forget_result: filled }),
  no_result: z.strictObject({ no_result: on }),
  fail: z.strictObject({ fail: text }),
  exit: z.strictObject({ exit: z.int().min(0).max(255) }),
  limit: z.strictObject({ limit: z.union([filled, on]) }),
  auth: z.strictObject({ auth: text }),
  transient: z.strictObject({ transient: text }),
  lose_session: z.strictObject({ lose_session: on }),
  max_turns: z.strictObject({ max_turns: on }),
  hang: z.strictObject({ hang: on }),
  ignore_sigterm: z.strictObject({ ignore_sigterm: on }),
};

const actionSchema = z.unknown().transform((value, context) => {
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const name = keys.find((key) => Object.hasOwn(ACTIONS, key));
  const known = Object.keys(ACTIONS).join(', ');
  if (name === undefined) {
    const found = keys.length > 0 ? keys.join(', ') : JSON.stringify(value);
    context.addIssue(`unknown action \`${found}\`; an action is one of ${known}`);
    return z.NEVER;
  }
  const read = ACTIONS[name as keyof typeof ACTIONS].safeParse(value);
  if (read.success) return read.data;
  for (const issue of read.error.issues)
    context.addIssue({ code: 'custom', message: issue.message, path: issue.path });
  return z.NEVER;
});

const listSchema = z.array(actionSchema);
const answerSchema = z.strictObject({
  decision: z.enum(DECISIONS),
  review: text.optional(),
  guidance: text.optional(),
});
const lookSchema = z.union([listSchema, answerSchema]);
const wholeVisitSchema = z.strictObject({
  iterations: z.array(listSchema).min(1),
  summary: text.optional(),
  supervisor: z.array(lookSchema).min(1).optional(),
});

// `- - say: a` is one visit with one list for all of its iterations.
const visitSchema = z
  .union([listSchema, wholeVisitSchema])
  .transform((visit): ScriptVisit => (Array.isArray(visit) ? { iterations: [visit] } : visit));
const visitsSchema = z.array(visitSchema).min(1);
const cast = z.record(z.string(), visitsSchema);

const scriptSchema = z.strictObject({
  ledger: filled.optional(),
  agents: cast.default({}),
  tasks: z.record(z.string(), cast).default({}),
  default: visitsSchema.optional(),
});

// Of a union only the branch that came nearest is worth telling: an object or a list.
function describe(issue: z.core.$ZodIssue, above: PropertyKey[]): ScriptProblem[] {
  const path = [...above, ...issue.path];
  if (issue.code !== 'invalid_union' || issue.errors.length === 0)
    return [{ where: jsonPath(path) || 'top level', message: issue.message }];
  const depth = (issues: z.core.$ZodIssue[]) => Math.max(...issues.map((each) => each.path.length));
  const nearest = issue.errors.reduce((one, other) => (depth(other) > depth(one) ? other : one));
  return nearest.flatMap((inner) => describe(inner, path));
}
